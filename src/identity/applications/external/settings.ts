import type { Details } from "../../../kernel/base/details.ts";
import type { ExternalClientsId } from "../../../kernel/base/ids.ts";
import { notFound, type FieldViolation, type Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { ExternalClientKind } from "../application/application.ts";

/** Which clients may use the instance that nobody has created. */
export interface ExternalClientSettings {
  readonly kinds: readonly ExternalClientKind[];
  /** `host`, or `*.host` for all below it; empty: any host. */
  readonly hostPatterns: readonly string[];
  /** Empty: none. */
  readonly projectId: string;
}

/** The settings as somebody has set them. */
export interface StoredExternalClientSettings extends ExternalClientSettings {
  readonly id: ExternalClientsId;
  readonly details: Details;
}

/** Nobody may. */
export const noExternalClients: ExternalClientSettings = { kinds: [], hostPatterns: [], projectId: "" };

/** Decides to set them: an event, or none when nothing changes. */
export function setExternalClients(
  stored: StoredExternalClientSettings | undefined,
  to: {
    readonly id: ExternalClientsId;
    readonly resourceOwner: string;
    readonly settings: ExternalClientSettings;
  },
): readonly NewEvent[] {
  const payload = toPayload(to.settings);
  if (stored !== undefined && JSON.stringify(toPayload(stored)) === JSON.stringify(payload)) return [];
  return [
    {
      type: "external_clients.set",
      aggregateId: stored?.id ?? to.id,
      resourceOwner: to.resourceOwner,
      payload,
    },
  ];
}

/** Says what is wrong with settings that a caller sends. */
export function findSettingsFaults({
  kinds,
  hostPatterns,
  projectId,
}: ExternalClientSettings): readonly FieldViolation[] {
  const isMissing = kinds.length > 0 && projectId === "";
  return [
    ...(isMissing ? [{ field: "project_id", description: "must be there if kinds is not empty" }] : []),
    ...hostPatterns.flatMap((pattern, at) =>
      hostPattern.test(pattern)
        ? []
        : [{ field: `host_patterns[${at}]`, description: "must be a host, or *. and a host, in lower case" }],
    ),
  ];
}

/** Says whether the documents of that host are taken. */
export function isHostAllowed({ hostPatterns }: ExternalClientSettings, host: string): boolean {
  if (hostPatterns.length === 0) return true;
  return hostPatterns.some((pattern) =>
    pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}

/** Returns the problem of settings that nobody has set. */
export function externalClientsNotFound(): Problem {
  return notFound("external_clients", "");
}

const hostPattern = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,62})\.)*[a-z0-9][a-z0-9-]{0,62}$/;

function toPayload({ kinds, hostPatterns, projectId }: ExternalClientSettings) {
  return { kinds, host_patterns: hostPatterns, project_id: projectId };
}

import { type ApplicationId, toId } from "../../kernel/base/ids.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import type { Project } from "../projects/project.ts";
import { findProject, findProjectOwner } from "../projects/repository.ts";
import type { ExternalClientKind } from "../applications/application/application.ts";
import { findApplication } from "../applications/repository.ts";
import {
  addExternalClient,
  changeExternalClient,
  type ExternalClientMetadata,
} from "../applications/oidc/external-client.ts";
import { findExternalClientSettings } from "../applications/external/repository.ts";

const origin = { editor: "system", remoteAddress: undefined, requestId: "external_client" } as const;

/**
 * Takes up the client that a document describes, or what the document says of it now. False if such clients are not taken any more, or
 * something else has the id.
 */
export async function takeUpDocument(
  { database, log }: Pick<FeatureContext, "database" | "log">,
  { clientId, metadata }: { readonly clientId: string; readonly metadata: ExternalClientMetadata },
): Promise<boolean> {
  const decide = async (tx: WriteTransaction): Promise<readonly NewEvent[] | undefined> => {
    const project = await findExternalProject(tx, "METADATA_DOCUMENT");
    if (project === undefined) return undefined;
    const known = await findApplication(tx, clientId);
    if (known === undefined)
      return [
        addExternalClient({
          id: toId<ApplicationId>(clientId),
          kind: "METADATA_DOCUMENT",
          project,
          metadata,
        }),
      ];
    return known.kind === "oidc" && known.external !== undefined
      ? changeExternalClient(known, metadata)
      : undefined;
  };
  return await database.write(async (tx) => {
    const events = await decide(tx);
    if (events !== undefined && events.length > 0) await log.append(tx, origin, events);
    return events !== undefined;
  });
}

/** Finds the project that clients of that kind belong to; undefined if none may introduce themselves. */
export async function findExternalProject(
  tx: WriteTransaction,
  kind: ExternalClientKind,
): Promise<Project | undefined> {
  const settings = await findExternalClientSettings(tx);
  if (settings?.kinds.includes(kind) !== true) return undefined;
  const ownerId = await findProjectOwner(tx, settings.projectId);
  return ownerId && (await findProject(tx, ownerId, settings.projectId));
}

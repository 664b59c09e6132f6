import { type ApplicationId, toId } from "../../kernel/base/ids.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import type { Project } from "../projects/project.ts";
import { findProject, findProjectOwner } from "../projects/repository.ts";
import { type ExternalClientKind, removeApplication } from "../applications/application/application.ts";
import { findApplication } from "../applications/repository.ts";
import {
  addExternalClient,
  changeExternalClient,
  type ExternalClientMetadata,
} from "../applications/oidc/external-client.ts";
import { findExternalClientSettings } from "../applications/external/repository.ts";
import { isIdLeft } from "./repository.ts";

const origin = { editor: "system", remoteAddress: undefined, requestId: "external_client" } as const;

/**
 * Takes up the client that a document describes, or what the document says of it now. A client of a project that the settings do not name
 * any more begins again in the one that they name, unless somebody has deactivated it. False if such clients are not taken any more, if
 * something else has the id, or rows of a removed organization have it: they are deleted soon.
 */
export async function takeUpDocument(
  { database, log }: Pick<FeatureContext, "database" | "log">,
  { clientId, metadata }: { readonly clientId: string; readonly metadata: ExternalClientMetadata },
): Promise<boolean> {
  const decide = async (tx: WriteTransaction): Promise<readonly NewEvent[] | undefined> => {
    const project = await findExternalProject(tx, "METADATA_DOCUMENT");
    if (project === undefined) return undefined;
    const known = await findApplication(tx, clientId);
    const id = toId<ApplicationId>(clientId);
    const added = addExternalClient({ id, kind: "METADATA_DOCUMENT", project, metadata });
    if (known === undefined) return (await isIdLeft(tx, clientId)) ? undefined : [added];
    if (known.kind !== "oidc" || known.external === undefined) return undefined;
    if (known.projectId === project.id) return changeExternalClient(known, metadata);
    return known.state === "ACTIVE" ? [...removeApplication(known), added] : undefined;
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

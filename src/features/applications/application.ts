import type { Details } from "../../base/details.ts";
import type { ApplicationId, ProjectId } from "../../base/ids.ts";
import { alreadyExists, notFound, type Problem } from "../../base/problem.ts";
import type { Reason } from "../../base/reason.ts";
import type { SamlSourcePayload } from "../../events/catalogue.ts";
import type { NewEvent } from "../../events/event.ts";
import type { Project } from "../projects/project.ts";
import { isInForce, toMetadataPayload, type SamlConfig } from "./saml/saml-config.ts";
import type { SamlMetadata } from "./saml/metadata.ts";

/** Something in a project that users log in to. */
export interface Application {
  readonly id: ApplicationId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly projectId: ProjectId;
  /** Unique in the project. */
  readonly name: string;
  readonly saml: SamlConfig;
}

/** What came of looking for the metadata of a new application. */
export type FoundMetadata =
  | { readonly kind: "document"; readonly metadata: SamlMetadata }
  /** Its server cannot be reached at the moment. */
  | { readonly kind: "unreachable" };

/** What came of fetching metadata again. */
export type RefreshedMetadata =
  | FoundMetadata
  /** There is a document, or an answer instead of one, that cannot be used. */
  | { readonly kind: "unusable"; readonly reason: Reason };

const unreachable: Reason = "SAML_METADATA_UNREACHABLE";

/** Decides to add a SAML application. Without a document it waits for one: PENDING. */
export function addSamlApplication(input: {
  readonly id: ApplicationId;
  readonly project: Project;
  readonly name: string;
  /** Empty when the document was sent. */
  readonly metadataUrl: string;
  readonly found: FoundMetadata;
}): NewEvent {
  const { project, found } = input;
  return {
    type: "application.added",
    aggregateId: input.id,
    resourceOwner: project.details.resourceOwner,
    payload: {
      project_id: project.id,
      name: input.name,
      ...toSource(input.metadataUrl, found),
    },
  };
}

/** Decides to rename: an event, or none when the name is the same. */
export function renameApplication(application: Application, name: string): readonly NewEvent[] {
  if (name === application.name) return [];
  return [{ type: "application.changed", ...placeOf(application), payload: { name } }];
}

/**
 * Decides to take the metadata from elsewhere: an event, or none when nothing changes. Without a document what is in force
 * stays so until one is fetched, so that a server that is down ends no login.
 */
export function changeSamlSource(
  application: Application,
  source: { readonly metadataUrl: string; readonly found: FoundMetadata },
): readonly NewEvent[] {
  const { metadataUrl, found } = source;
  const { saml } = application;
  const error = found.kind === "document" ? "" : unreachable;
  const isSameDocument = found.kind === "unreachable" || isInForce(saml, found.metadata);
  if (metadataUrl === saml.metadataUrl && error === saml.metadataError && isSameDocument) return [];
  return [
    { type: "application.saml.changed", ...placeOf(application), payload: toSource(metadataUrl, found) },
  ];
}

/** Decides to stop the use of the application; none when it is stopped. */
export function deactivateApplication(application: Application): readonly NewEvent[] {
  if (application.state === "INACTIVE") return [];
  return [{ type: "application.deactivated", ...placeOf(application), payload: {} }];
}

/** Decides to let it be used again; none when it is in use. */
export function reactivateApplication(application: Application): readonly NewEvent[] {
  if (application.state === "ACTIVE") return [];
  return [{ type: "application.reactivated", ...placeOf(application), payload: {} }];
}

/** Decides to remove the application. */
export function removeApplication(application: Application): readonly NewEvent[] {
  return [{ type: "application.removed", ...placeOf(application), payload: {} }];
}

/**
 * Decides what a fetch in the background changes: an event, or none when nothing does. A document is not used when its
 * entity id is not the one in force or is another application's; what is in force stays so.
 */
export function refreshMetadata(
  application: Application,
  refreshed: RefreshedMetadata,
  isEntityIdTaken: boolean,
): readonly NewEvent[] {
  switch (refreshed.kind) {
    case "unreachable":
      return failed(application, { error: unreachable, isFinal: false });
    case "unusable":
      return failed(application, { error: refreshed.reason, isFinal: true });
    case "document":
      return fetched(application, refreshed.metadata, isEntityIdTaken);
  }
}

/** Returns the problem of an application that is absent or of another project. */
export function applicationNotFound(id: string): Problem {
  return notFound("application", id);
}

/** Returns the problem of a name that another application of the project has. */
export function applicationNameTaken(name: string): Problem {
  return alreadyExists("application", name);
}

/** Returns the problem of an entity id that another application of the instance has. */
export function entityIdTaken(entityId: string): Problem {
  return alreadyExists("saml_entity_id", entityId);
}

function placeOf({ id, details }: Application) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

function toSource(metadataUrl: string, found: FoundMetadata): SamlSourcePayload {
  return {
    metadata_url: metadataUrl,
    ...(found.kind === "document"
      ? { metadata: toMetadataPayload(found.metadata) }
      : { metadata_error: unreachable }),
  };
}

function fetched(
  application: Application,
  metadata: SamlMetadata,
  isEntityIdTaken: boolean,
): readonly NewEvent[] {
  const { saml } = application;
  const current = saml.metadata;
  if (current !== undefined && current.entityId !== metadata.entityId) {
    return failed(application, { error: "SAML_METADATA_ENTITY_ID", isFinal: true });
  }
  if (isEntityIdTaken) return failed(application, { error: "ALREADY_EXISTS", isFinal: true });
  if (saml.metadataError === "" && isInForce(saml, metadata)) return [];
  const payload = toMetadataPayload(metadata);
  return [{ type: "application.metadata.fetched", ...placeOf(application), payload }];
}

function failed(
  application: Application,
  failure: { readonly error: Reason; readonly isFinal: boolean },
): readonly NewEvent[] {
  const { error, isFinal } = failure;
  const { saml } = application;
  // What was wrong with the last document says more than that its server is down now.
  if (!isFinal && saml.metadataState === "FAILED") return [];
  if (saml.metadataError === error && (saml.metadataState === "FAILED") === isFinal) return [];
  const payload = { error, is_final: isFinal };
  return [{ type: "application.metadata.failed", ...placeOf(application), payload }];
}

import type { ApplicationId } from "../../../base/ids.ts";
import { alreadyExists, type Problem } from "../../../base/problem.ts";
import type { Reason } from "../../../base/reason.ts";
import type { SamlSourcePayload } from "../../../events/payloads.ts";
import type { NewEvent } from "../../../events/event.ts";
import type { Project } from "../../projects/project.ts";
import { aggregateOf, type ApplicationBase } from "../application/application.ts";
import type { SamlMetadata } from "./metadata.ts";
import { isInForce, toMetadataPayload, type SamlConfig } from "./saml-config.ts";

/** A service provider in the words of SAML: users log in to it by SAML 2.0. */
export interface SamlApplication extends ApplicationBase {
  readonly kind: "saml";
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

/**
 * Decides to take the metadata from elsewhere: an event, or none when nothing changes. Without a document what is in force
 * stays so until one is fetched, so that a server that is down ends no login.
 */
export function changeSamlSource(
  application: SamlApplication,
  source: { readonly metadataUrl: string; readonly found: FoundMetadata },
): readonly NewEvent[] {
  const { metadataUrl, found } = source;
  const { saml } = application;
  const error = found.kind === "document" ? "" : unreachable;
  const isSameDocument = found.kind === "unreachable" || isInForce(saml, found.metadata);
  if (metadataUrl === saml.metadataUrl && error === saml.metadataError && isSameDocument) return [];
  return [
    { type: "application.saml.changed", ...aggregateOf(application), payload: toSource(metadataUrl, found) },
  ];
}

/**
 * Decides what a fetch in the background changes: an event, or none when nothing does. A document is not used when its
 * entity id is not the one in force or is another application's; what is in force stays so.
 */
export function refreshMetadata(
  application: SamlApplication,
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

/** Returns the problem of an entity id that another application of the instance has. */
export function entityIdTaken(entityId: string): Problem {
  return alreadyExists("saml_entity_id", entityId);
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
  application: SamlApplication,
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
  return [{ type: "application.metadata.fetched", ...aggregateOf(application), payload }];
}

function failed(
  application: SamlApplication,
  failure: { readonly error: Reason; readonly isFinal: boolean },
): readonly NewEvent[] {
  const { error, isFinal } = failure;
  const { saml } = application;
  // What was wrong with the last document says more than that its server is down now.
  if (!isFinal && saml.metadataState === "FAILED") return [];
  if (saml.metadataError === error && (saml.metadataState === "FAILED") === isFinal) return [];
  const payload = { error, is_final: isFinal };
  return [{ type: "application.metadata.failed", ...aggregateOf(application), payload }];
}

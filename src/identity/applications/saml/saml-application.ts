import type { ApplicationId } from "../../../kernel/base/ids.ts";
import { alreadyExists, type Problem } from "../../../kernel/base/problem.ts";
import type { Reason } from "../../../kernel/base/reason.ts";
import type { SamlSourcePayload } from "../../../kernel/events/application-payloads.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { Project } from "../../projects/project.ts";
import {
  aggregateOf,
  type ApplicationBase,
  type ApplicationOfKind,
  isNotApplicationOf,
} from "../application/application.ts";
import type { SamlMetadata } from "./metadata.ts";
import { isInForce, toMetadataPayload, type SamlConfig } from "./saml-config.ts";
import { type SamlSettings, toSamlSettingsPayload } from "./saml-settings.ts";

/** A service provider, in SAML's terms: users log in to it by SAML 2.0. */
export interface SamlApplication extends ApplicationBase {
  readonly kind: "saml";
  readonly saml: SamlConfig;
}

/** The result of fetching the metadata of a new application. */
export type FoundMetadata =
  | { readonly kind: "document"; readonly metadata: SamlMetadata }
  /** The server cannot be reached at the moment. */
  | { readonly kind: "unreachable" };

/** The result of fetching metadata again. */
export type RefreshedMetadata =
  | FoundMetadata
  /** The document, or the answer in its place, cannot be used. */
  | { readonly kind: "unusable"; readonly reason: Reason };

const unreachable: Reason = "SAML_METADATA_UNREACHABLE";

/** Raises WRONG_KIND for an application of another kind. */
export function requireSaml(
  application: SamlApplication | ApplicationOfKind<"oidc" | "api">,
): SamlApplication {
  if (application.kind !== "saml") throw isNotApplicationOf("a SAML application", application.id);
  return application;
}

/** Decides to add a SAML application. Without a document its metadata is PENDING. */
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
 * Decides to change the source of the metadata: an event, or none when nothing changes. Without a document the
 * current metadata stays in force until one is fetched, so that a server that is down prevents no login.
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

/** Decides to replace all settings: an event, or none when nothing changes. */
export function changeSamlSettings(
  application: SamlApplication,
  settings: SamlSettings,
): readonly NewEvent[] {
  const payload = toSamlSettingsPayload(settings);
  const before = toSamlSettingsPayload(application.saml.settings);
  if (JSON.stringify(before) === JSON.stringify(payload)) return [];
  return [{ type: "application.saml.settings.changed", ...aggregateOf(application), payload }];
}

/**
 * Decides the change after a fetch in the background: an event, or none when nothing changes. A document is not used
 * if its entity id differs from the one in force or belongs to another application; the current metadata then stays
 * in force.
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
  // The fault of the last document says more than that its server is down now.
  if (!isFinal && saml.metadataState === "FAILED") return [];
  if (saml.metadataError === error && (saml.metadataState === "FAILED") === isFinal) return [];
  const payload = { error, is_final: isFinal };
  return [{ type: "application.metadata.failed", ...aggregateOf(application), payload }];
}

import type { SamlMetadataPayload } from "../../../kernel/events/application-payloads.ts";
import type { SamlMetadata } from "./metadata.ts";
import type { SamlSettings } from "./saml-settings.ts";

/** The metadata of a SAML application (the service provider) as it is stored, and what its owner decides besides. */
export interface SamlConfig {
  /** The metadata in force: the last usable document. Its entity id is unique in the instance. */
  readonly metadata: SamlMetadata | undefined;
  /** Where the document is fetched from; empty when it was sent. */
  readonly metadataUrl: string;
  /**
   * When the document in force was last found at its URL, in microseconds since 1970; undefined when it was sent or
   * there is none.
   */
  readonly metadataFetchDate: number | undefined;
  /**
   * PENDING: there is no document yet. READY: the last one is in force. FAILED: the last one cannot be used; an
   * earlier one stays in force.
   */
  readonly metadataState: "PENDING" | "READY" | "FAILED";
  /** The reason why the last fetch gave no usable document; empty when there is no error. */
  readonly metadataError: string;
  readonly settings: SamlSettings;
}

/**
 * Says whether the metadata in force has expired by its own date. Users can still log in: some products publish
 * metadata that is valid for only two days.
 */
export function isMetadataExpired({ metadata }: SamlConfig, nowMs: number): boolean {
  return metadata?.validUntilMs !== undefined && metadata.validUntilMs <= nowMs;
}

/**
 * Says whether the metadata equals the one in force. The same document can differ from it: when its first
 * SPSSODescriptor has expired, another one counts.
 */
export function isInForce({ metadata: current }: SamlConfig, metadata: SamlMetadata): boolean {
  return current?.xml === metadata.xml && current.validUntilMs === metadata.validUntilMs;
}

/** Returns the metadata as events hold it. */
export function toMetadataPayload(metadata: SamlMetadata): SamlMetadataPayload {
  return {
    entity_id: metadata.entityId,
    metadata_xml: metadata.xml,
    assertion_consumer_services: metadata.assertionConsumerServices.map((service) => ({
      binding: service.binding,
      location: service.location,
      index: service.index,
      is_default: service.isDefault,
    })),
    valid_until: metadata.validUntilMs === undefined ? "" : new Date(metadata.validUntilMs).toISOString(),
  };
}

/** Returns the metadata in an event, without the date, which old events lack. */
export function toMetadata(payload: SamlMetadataPayload): Omit<SamlMetadata, "validUntilMs"> {
  return {
    entityId: payload.entity_id,
    xml: payload.metadata_xml,
    assertionConsumerServices: payload.assertion_consumer_services.map((service) => ({
      binding: service.binding,
      location: service.location,
      index: service.index,
      isDefault: service.is_default,
    })),
  };
}

import type { SamlMetadataPayload } from "../../../events/payloads.ts";
import type { SamlMetadata } from "./metadata.ts";

/** What a SAML application, the service provider, says about itself. */
export interface SamlConfig {
  /** What is in force: the last document that could be used. Its entity id is unique in the instance. */
  readonly metadata: SamlMetadata | undefined;
  /** Where the document is fetched from; empty when it was sent. */
  readonly metadataUrl: string;
  /**
   * When the document in force was fetched, the last time that it was found, in microseconds since 1970; undefined when it
   * was sent or there is none.
   */
  readonly metadataFetchDate: number | undefined;
  /**
   * PENDING: no document was had yet. READY: the last one is in force. FAILED: the last one cannot be used; an earlier one
   * stays in force.
   */
  readonly metadataState: "PENDING" | "READY" | "FAILED";
  /** The reason why the last fetch gave nothing to use; empty when all is well. */
  readonly metadataError: string;
}

/** Says whether what is in force says of itself that it is valid no more. Logins go on: products publish two days. */
export function isMetadataExpired({ metadata }: SamlConfig, nowMs: number): boolean {
  return metadata?.validUntilMs !== undefined && metadata.validUntilMs <= nowMs;
}

/**
 * Says whether the metadata is what is in force already. The same document is not where its first SPSSODescriptor has
 * expired and another one counts now.
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

/** Returns the metadata that an event holds, without the date, of which an old event says nothing. */
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

import type { FieldViolation } from "../../kernel/base/problem.ts";
import { urlViolation } from "../../kernel/base/url.ts";
import type { SamlProviderPayload } from "../../kernel/events/provider-payloads.ts";
import { readUpstreamMetadata } from "./saml-metadata.ts";

/** The configuration of a provider of SAML. */
export interface SamlProviderSettings {
  readonly entityId: string;
  /** Exactly one of metadataUrl and metadataXml is not empty. */
  readonly metadataUrl: string;
  readonly metadataXml: string;
  /** Name of the attribute that identifies people. Empty: the NameID does, which is persistent then. */
  readonly idAttribute: string;
  /** Whether addresses that it names count as verified. */
  readonly trustMail: boolean;
}

/** The same, with what links of users name as their issuer. */
export interface SamlProviderStored extends SamlProviderSettings {
  readonly issuer: string;
}

/** Returns the settings of a message or of what is stored, which have more. */
export function toUpstreamSettings(from: SamlProviderSettings): SamlProviderSettings {
  const { entityId, metadataUrl, metadataXml, idAttribute, trustMail } = from;
  return { entityId, metadataUrl, metadataXml, idAttribute, trustMail };
}

/** Adds the issuer: another entity id or another attribute names other people, so that links to the former ones hold no longer. */
export function toStoredSaml(settings: SamlProviderSettings): SamlProviderStored {
  const { entityId, idAttribute } = settings;
  const issuer = idAttribute === "" ? entityId : `${entityId}#${encodeURIComponent(idAttribute)}`;
  return { issuer, ...toUpstreamSettings(settings) };
}

/** Returns the violations of a configuration beyond the rules of its fields. `path` is in front of the names of the fields. */
export function checkSaml(path: string, settings: SamlProviderSettings): readonly FieldViolation[] {
  const { entityId, metadataUrl, metadataXml } = settings;
  if ((metadataUrl === "") === (metadataXml === ""))
    return [{ field: `${path}metadata_url`, description: "must be filled, or metadata_xml, and not both" }];
  if (metadataUrl !== "") {
    const description = urlViolation(metadataUrl, { allowQuery: true });
    return description === undefined ? [] : [{ field: `${path}metadata_url`, description }];
  }
  if (entityId === "" || metadataXml.length > maxMetadataLength) return []; // the rules of the fields say so
  const read = readUpstreamMetadata(metadataXml, entityId);
  return "fault" in read ? [{ field: `${path}metadata_xml`, description: read.fault }] : [];
}

/** As the rule of the proto, which reports it. */
const maxMetadataLength = 400_000;

/** Returns the configuration as events hold it. */
export function toSamlPayload(config: SamlProviderStored): SamlProviderPayload {
  return {
    issuer: config.issuer,
    entity_id: config.entityId,
    metadata_url: config.metadataUrl,
    metadata_xml: config.metadataXml,
    id_attribute: config.idAttribute,
    trust_mail: config.trustMail,
  };
}

/** Returns the configuration that an event holds. */
export function toSamlStored(payload: SamlProviderPayload): SamlProviderStored {
  return {
    issuer: payload.issuer,
    entityId: payload.entity_id,
    metadataUrl: payload.metadata_url,
    metadataXml: payload.metadata_xml,
    idAttribute: payload.id_attribute,
    trustMail: payload.trust_mail,
  };
}

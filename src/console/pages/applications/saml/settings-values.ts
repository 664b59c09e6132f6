import { toEnum } from "../../../api/enums.ts";
import {
  type SamlConfig,
  SamlEncryption,
  SamlNameIdFormat,
} from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { type AttributeValue, readAttribute, writeAttribute } from "./attributes.ts";

/** The settings of a SAML application as fields hold them: enums are the texts of their numbers, attributes those of `writeAttribute`. */
export type SettingsValues = {
  readonly nameIdFormat: string;
  readonly attributes: readonly string[];
  readonly onlyRequestedAttributes: boolean;
  readonly encryption: string;
  readonly requireSignedRequests: boolean;
  readonly allowIdpInitiated: boolean;
  readonly defaultRelayState: string;
  readonly logoutDisabled: boolean;
};

/** Returns the values of an application. */
export function toSettingsValues(saml: SamlConfig): SettingsValues {
  const { requireSignedRequests, allowIdpInitiated, defaultRelayState, logoutDisabled } = saml;
  const { onlyRequestedAttributes } = saml;
  return {
    nameIdFormat: String(saml.nameIdFormat),
    attributes: saml.attributes.map(writeAttribute),
    onlyRequestedAttributes,
    encryption: String(saml.encryption),
    requireSignedRequests,
    allowIdpInitiated,
    defaultRelayState,
    logoutDisabled,
  };
}

/** The settings as requests have them. */
export interface SettingsRequest extends Omit<SettingsValues, "nameIdFormat" | "attributes" | "encryption"> {
  readonly nameIdFormat: SamlNameIdFormat;
  readonly encryption: SamlEncryption;
  readonly attributes: AttributeValue[];
}

/** Returns the values as requests have them. */
export function toSettingsRequest(values: SettingsValues): SettingsRequest {
  return {
    ...values,
    nameIdFormat: toEnum(SamlNameIdFormat, values.nameIdFormat),
    encryption: toEnum(SamlEncryption, values.encryption),
    attributes: values.attributes.map(readAttribute),
  };
}

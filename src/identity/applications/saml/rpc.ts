import {
  SamlEncryption as EncryptionMessage,
  SamlNameIdFormat as FormatMessage,
  SamlMetadataState,
} from "../../../../gen/gatehouse/v1/application_pb.ts";
import type {
  ApplicationService,
  UpdateSamlSettingsRequest,
} from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FieldViolation } from "../../../kernel/base/problem.ts";
import { urlViolation } from "../../../kernel/base/url.ts";
import { toDetailsAnswer, toObjectDetails, toTimestamp, toTimestampOfMs, valueName } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { toApplicationName } from "../application/rpc.ts";
import type { SamlCommands } from "./commands.ts";
import type { SamlApplication } from "./saml-application.ts";
import { isMetadataExpired } from "./saml-config.ts";
import type { ServiceProviderCertificate } from "./service-provider.ts";
import type { ServiceProviderReader } from "./service-provider-reader.ts";
import { findSamlProblems } from "./saml-problems.ts";
import { type SamlAttributeSource, samlAttributeSources, type SamlSettings } from "./saml-settings.ts";

/** Maps the messages about SAML applications to commands. */
export function createSamlRpcs(
  commands: SamlCommands,
): Pick<
  ServiceRpcs<typeof ApplicationService>,
  "createSamlApplication" | "updateSamlConfig" | "updateSamlSettings"
> {
  return {
    createSamlApplication: {
      check: (request) => checkMetadataUrl(request.metadataUrl),
      run: async (call, { projectId, name, metadataXml, metadataUrl }) => {
        const application = { projectId, name, metadataXml, metadataUrl };
        const { id, details, entityId } = await commands.createSaml(call, application);
        return { appId: id, details: toObjectDetails(details), entityId: entityId ?? "" };
      },
    },
    updateSamlConfig: {
      check: (request) => checkMetadataUrl(request.metadataUrl),
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateSaml(call, toApplicationName(request), request)),
    },
    updateSamlSettings: {
      check: checkSamlSettings,
      run: async (call, request) => {
        const settings = toSettings(request);
        return toDetailsAnswer(await commands.updateSamlSettings(call, toApplicationName(request), settings));
      },
    },
  };
}

/**
 * Leaves an empty text to the rule of the proto, and a forbidden URL to the guarded fetch, which has a reason of its
 * own.
 */
function checkMetadataUrl(text: string): readonly FieldViolation[] {
  if (text === "" || isForbidden(URL.parse(text))) return [];
  const description = urlViolation(text, { allowQuery: true });
  return description === undefined ? [] : [{ field: "metadata_url", description }];
}

function isForbidden(url: URL | null): boolean {
  if (url === null) return false;
  return !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "";
}

/** What the message of a config depends on besides the application. */
export interface SamlMessageOptions {
  readonly nowMs: number;
  /** Reads the document, for certificates and problems; undefined in lists, which leave them out. */
  readonly reader: ServiceProviderReader | undefined;
}

/** Makes the message of the config. */
export function toSamlMessage(application: SamlApplication, { nowMs, reader }: SamlMessageOptions) {
  const { saml } = application;
  const { metadata } = saml;
  const serviceProvider = reader?.read(application);
  return {
    entityId: metadata?.entityId ?? "",
    metadataXml: new Uint8Array(Buffer.from(metadata?.xml ?? "", "utf8")),
    metadataUrl: saml.metadataUrl,
    assertionConsumerServices: [...(metadata?.assertionConsumerServices ?? [])],
    ...(saml.metadataFetchDate === undefined
      ? {}
      : { metadataFetchDate: toTimestamp(saml.metadataFetchDate) }),
    metadataState: SamlMetadataState[saml.metadataState],
    metadataError: saml.metadataError,
    ...toSettingsFields(saml.settings),
    serviceProviderCertificates: serviceProvider?.certificates.map(toCertificateMessage) ?? [],
    problems: serviceProvider === undefined ? [] : [...findSamlProblems(saml, serviceProvider, nowMs)],
    metadataExpired: isMetadataExpired(saml, nowMs),
  };
}

function toCertificateMessage(certificate: ServiceProviderCertificate) {
  const { use, fingerprintSha256, keyType, notAfterMs } = certificate;
  const about = { use, fingerprintSha256, keyType };
  return notAfterMs === undefined ? about : { ...about, notAfter: toTimestampOfMs(notAfterMs) };
}

/** Checks what the proto cannot: each name of an attribute once, sources that there are, and only characters that XML has (XML 1.0 §2.2). */
function checkSamlSettings({ attributes }: UpdateSamlSettingsRequest): readonly FieldViolation[] {
  const names = new Set<string>();
  return attributes.flatMap(({ name, nameFormat, source, constant }, at) => {
    const wrong = (field: string, description: string) => ({
      field: `attributes[${at}].${field}`,
      description,
    });
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...(isTaken ? [wrong("name", "must not be the name of another attribute")] : []),
      ...(source === "" || isSource(source)
        ? []
        : [wrong("source", `must be one of ${samlAttributeSources.join(", ")}`)]),
      ...Object.entries({ name, name_format: nameFormat, constant })
        .filter(([, text]) => /[\ufffe\uffff]/.test(text))
        .map(([field]) => wrong(field, "must not contain U+FFFE or U+FFFF, which XML does not have")),
    ];
  });
}

function isSource(text: string): text is SamlAttributeSource {
  return samlAttributeSources.some((each) => each === text);
}

/** Converts the settings that a caller asks for. */
function toSettings(request: UpdateSamlSettingsRequest): SamlSettings {
  return {
    requireSignedRequests: request.requireSignedRequests,
    encryption: valueName(EncryptionMessage, request.encryption) ?? "WHEN_POSSIBLE",
    nameIdFormat: valueName(FormatMessage, request.nameIdFormat),
    allowIdpInitiated: request.allowIdpInitiated,
    defaultRelayState: request.defaultRelayState,
    isLogoutDisabled: request.logoutDisabled,
    attributes: request.attributes.map(({ name, nameFormat, source, constant }) =>
      isSource(source)
        ? { kind: "source", name, nameFormat, source }
        : { kind: "constant", name, nameFormat, constant },
    ),
    onlyRequestedAttributes: request.onlyRequestedAttributes,
  };
}

/** Makes the fields of the message that hold the settings. */
function toSettingsFields(settings: SamlSettings) {
  const { encryption, nameIdFormat } = settings;
  return {
    requireSignedRequests: settings.requireSignedRequests,
    encryption: EncryptionMessage[encryption === "WHEN_POSSIBLE" ? "UNSPECIFIED" : encryption],
    nameIdFormat: FormatMessage[nameIdFormat ?? "UNSPECIFIED"],
    allowIdpInitiated: settings.allowIdpInitiated,
    defaultRelayState: settings.defaultRelayState,
    logoutDisabled: settings.isLogoutDisabled,
    attributes: settings.attributes.map((attribute) => ({
      name: attribute.name,
      nameFormat: attribute.nameFormat,
      source: attribute.kind === "source" ? attribute.source : "",
      constant: attribute.kind === "constant" ? attribute.constant : "",
    })),
    onlyRequestedAttributes: settings.onlyRequestedAttributes,
  };
}

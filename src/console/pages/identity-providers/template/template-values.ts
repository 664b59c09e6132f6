import type { MessageInitShape } from "@bufbuild/protobuf";
import type { IdentityProvider } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import type { CreateIdentityProviderRequestSchema } from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import {
  type ProviderKind,
  type SharedRequest,
  type SharedValues,
  toSharedRequest,
  toSharedValues,
} from "../shared/provider.ts";

type TemplateField =
  | "clientId"
  | "clientSecret"
  | "tenants"
  | "baseUrl"
  | "teamId"
  | "privateKeyId"
  | "privateKey";

/** The fields of each provider that is known beforehand, in the order of its form. */
export const templateFields = {
  google: ["clientId", "clientSecret"],
  entra: ["clientId", "clientSecret", "tenants", "baseUrl"],
  github: ["clientId", "clientSecret", "baseUrl"],
  gitlab: ["clientId", "clientSecret", "baseUrl"],
  apple: ["clientId", "teamId", "privateKeyId", "privateKey"],
} as const satisfies Partial<Record<ProviderKind, readonly TemplateField[]>>;

/** A provider that is known beforehand. */
export type TemplateKind = keyof typeof templateFields;

/** Says whether the text names one. */
export function isTemplateKind(text: string | undefined): text is TemplateKind {
  return text !== undefined && Object.hasOwn(templateFields, text);
}

/** A field of such a provider, by its name in the requests. */
export type TemplateFieldName = {
  [K in TemplateKind]: `${K}.${(typeof templateFields)[K][number]}`;
}[TemplateKind];

/** Such a provider as fields hold it: those of its own template are there alone. Secrets are empty unless they are being set. */
export type TemplateValues = SharedValues & {
  readonly [Name in TemplateFieldName]: Name extends "entra.tenants" ? readonly string[] : string;
};

/** Returns the field of its secret. */
export function secretOf(kind: TemplateKind): Exclude<TemplateFieldName, "entra.tenants"> {
  return kind === "apple" ? "apple.privateKey" : `${kind}.clientSecret`;
}

/** Returns the values of an identity provider; undefined: those of a new one. */
export function toTemplateValues(kind: TemplateKind, provider?: IdentityProvider): TemplateValues {
  const stored: Readonly<Record<string, unknown>> =
    provider?.config.case === kind ? { ...provider.config.value } : {};
  const fields = templateFields[kind].map((field) => [
    `${kind}.${field}`,
    stored[field] ?? (field === "tenants" ? [] : ""),
  ]);
  return { ...toSharedValues(provider), ...Object.fromEntries(fields) } as TemplateValues; // those of its template
}

/** Such a provider as requests have it. */
export interface TemplateRequest extends SharedRequest {
  readonly config: Extract<
    NonNullable<MessageInitShape<typeof CreateIdentityProviderRequestSchema>["config"]>,
    { readonly case: TemplateKind }
  >;
}

/** Returns the values as requests have them. Without a secret the stored one stays. */
export function toTemplateRequest(kind: TemplateKind, values: TemplateValues): TemplateRequest {
  const all: Readonly<Record<string, unknown>> = values;
  const isKept = (name: string) => name === secretOf(kind) && all[name] === "";
  const sent = templateFields[kind].filter((field) => !isKept(`${kind}.${field}`));
  const value = Object.fromEntries(sent.map((field) => [field, all[`${kind}.${field}`]]));
  const config = { case: kind, value } as TemplateRequest["config"]; // the fields of its template
  return { ...toSharedRequest(values), config };
}

/** Says whether the secret has to come with these values: the stored one goes to no other address. */
export function needsSecret(kind: TemplateKind, values: TemplateValues, stored?: IdentityProvider): boolean {
  if (stored === undefined) return true;
  if (kind !== "entra" && kind !== "github" && kind !== "gitlab") return false;
  const name = `${kind}.baseUrl` as const;
  return values[name] !== toTemplateValues(kind, stored)[name];
}

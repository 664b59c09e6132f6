import { createPrivateKey } from "node:crypto";
import type { FieldViolation } from "../../kernel/base/problem.ts";
import { urlViolation } from "../../kernel/base/url.ts";
import type { TemplatePayload } from "../../kernel/events/provider-payloads.ts";

/** What is known of a provider beforehand. A new one begins here: code that has to know it then does not compile until it does. */
interface TemplateFacts {
  /** As messages name it, with its article. */
  readonly noun: string;
  /** The address that everybody knows. */
  readonly home: string;
  /** The field of its secret in messages. */
  readonly secretField: "client_secret" | "private_key";
}

const templates = {
  google: {
    noun: "a Google identity provider",
    home: "https://accounts.google.com",
    secretField: "client_secret",
  },
  entra: {
    noun: "an Entra identity provider",
    home: "https://login.microsoftonline.com",
    secretField: "client_secret",
  },
  github: { noun: "a GitHub identity provider", home: "https://github.com", secretField: "client_secret" },
  gitlab: { noun: "a GitLab identity provider", home: "https://gitlab.com", secretField: "client_secret" },
  apple: {
    noun: "an Apple identity provider",
    home: "https://appleid.apple.com",
    secretField: "private_key",
  },
} as const satisfies Readonly<Record<string, TemplateFacts>>;

/** A provider that is known beforehand. */
export type ProviderTemplate = keyof typeof templates;

/** The configuration of a provider that is known beforehand, without its secret. */
export interface TemplateSettings {
  /** It is set at creation and cannot change, like a kind. */
  readonly template: ProviderTemplate;
  readonly clientId: string;
  /** Address of an installation of one's own; empty: the one that everybody knows. */
  readonly baseUrl: string;
  /** Ids of the tenants of Entra whose people may log in, or `*` alone. Empty for any other provider. */
  readonly tenants: readonly string[];
  /** Of Apple alone; empty for any other provider, as `keyId`. */
  readonly teamId: string;
  readonly keyId: string;
}

/** The same, with the place of its secret. */
export interface TemplateConfig extends TemplateSettings {
  /** What links of users name as their issuer. */
  readonly issuer: string;
  /** Id of the secret: the client secret, or the key that client secrets are signed with. */
  readonly secretId: string;
}

/** Stands for all tenants of Entra. */
export const anyTenant = "*";

/** Returns the subject of a person of a tenant, whom `sub` names there alone. */
export function subjectOfTenant(tenant: string, sub: string): string {
  return `${tenant}/${sub}`;
}

/** Says whether a person may log in by the tenants that are listed. Other providers than Entra have none, and let anybody come. */
export function mayComeFrom(
  { template, tenants }: Pick<TemplateSettings, "template" | "tenants">,
  subject: string,
): boolean {
  if (template !== "entra" || tenants.includes(anyTenant)) return true;
  return tenants.some((tenant) => subject.startsWith(subjectOfTenant(tenant, "")));
}

/** Says whether the text names a provider that is known beforehand. */
export function isTemplate(text: string | undefined): text is ProviderTemplate {
  return text !== undefined && Object.hasOwn(templates, text);
}

/** Names the provider in a message. */
export function nounOfTemplate(template: ProviderTemplate): string {
  return templates[template].noun;
}

/** Returns the field of its secret, as messages have it. */
export function secretFieldOf(template: ProviderTemplate): string {
  return `${template}.${templates[template].secretField}`;
}

/** Returns the address of the provider, which is also the place that its secret is sent to. */
export function homeOf({ template, baseUrl }: Pick<TemplateSettings, "template" | "baseUrl">): string {
  return baseUrl === "" ? templates[template].home : baseUrl;
}

/** Adds the issuer. Of Entra it stands for all tenants, as in its metadata: identities have their tenant in front of their subject. */
export function toStoredTemplate(settings: TemplateSettings, secretId: string): TemplateConfig {
  const { template, clientId, baseUrl, tenants, teamId, keyId } = settings;
  const home = homeOf(settings);
  const issuer = template === "entra" ? `${home}/{tenantid}/v2.0` : home;
  return { template, issuer, clientId, secretId, baseUrl, tenants, teamId, keyId };
}

/** Returns the violations of a configuration beyond the rules of its fields. */
export function checkTemplate(
  { template, baseUrl, tenants }: TemplateSettings,
  { autoRegister, secret }: { readonly autoRegister: boolean; readonly secret: string },
): readonly FieldViolation[] {
  const url = baseUrl === "" ? undefined : baseUrlViolation(baseUrl);
  const mayBeAnybody = tenants.includes(anyTenant);
  const tenant = !mayBeAnybody
    ? undefined
    : tenants.length > 1
      ? "must be * alone, or ids of tenants"
      : autoRegister
        ? "must be ids of tenants if auto_register is true: with * anybody in the world would get an account"
        : undefined;
  const key = template === "apple" && secret !== "" && !isSigningKey(secret);
  return [
    ...(url === undefined ? [] : [{ field: `${template}.base_url`, description: url }]),
    ...(tenant === undefined ? [] : [{ field: `${template}.tenants`, description: tenant }]),
    ...(key
      ? [{ field: secretFieldOf(template), description: "must be a private key of curve P-256 in PEM" }]
      : []),
  ];
}

/** Returns the configuration as events hold it. */
export function toTemplatePayload(config: TemplateConfig): TemplatePayload {
  return {
    template: config.template,
    issuer: config.issuer,
    client_id: config.clientId,
    secret_id: config.secretId,
    base_url: config.baseUrl,
    tenants: config.tenants,
    team_id: config.teamId,
    key_id: config.keyId,
  };
}

/** Returns the configuration that an event holds. */
export function toTemplateConfig(payload: TemplatePayload): TemplateConfig {
  const { template } = payload;
  if (!isTemplate(template)) throw new Error("an identity provider is of no template");
  return {
    template,
    issuer: payload.issuer,
    clientId: payload.client_id,
    secretId: payload.secret_id,
    baseUrl: payload.base_url,
    tenants: payload.tenants,
    teamId: payload.team_id,
    keyId: payload.key_id,
  };
}

/** Paths are put behind it, and issuers are compared byte for byte. */
function baseUrlViolation(text: string): string | undefined {
  return (
    urlViolation(text, { allowQuery: false }) ??
    (text.endsWith("/") ? "must not end with a slash" : undefined)
  );
}

/** Says whether client secrets for Apple can be signed with it: ES256. */
function isSigningKey(pem: string): boolean {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

import { isTemplate, type ProviderTemplate, type TemplateConfig, type TemplateSettings } from "./template.ts";

interface Client {
  readonly clientId: string;
  readonly clientSecret?: string;
}

interface ClientAtBase extends Client {
  readonly baseUrl: string;
}

/** What messages hold of each provider that is known beforehand. */
interface TemplateMessages {
  readonly google: Client;
  readonly entra: ClientAtBase & { readonly tenants: readonly string[] };
  readonly github: ClientAtBase;
  readonly gitlab: ClientAtBase;
  readonly apple: {
    readonly clientId: string;
    readonly teamId: string;
    readonly privateKeyId: string;
    readonly privateKey?: string;
  };
}

/** The configuration of such a provider in a message. */
export type TemplateMessage = {
  [T in ProviderTemplate]: { readonly case: T; readonly value: TemplateMessages[T] };
}[ProviderTemplate];

/** Says whether a configuration is that of a provider that is known beforehand. */
export function isTemplateMessage<C extends { readonly case: string | undefined }>(
  config: C,
): config is C & { readonly case: ProviderTemplate } {
  return isTemplate(config.case);
}

/** Returns the settings of a message, and the secret in it; empty: none was sent. */
export function toTemplate(message: TemplateMessage): {
  readonly settings: TemplateSettings;
  readonly secret: string;
} {
  const { case: template, value } = message;
  const { clientId } = value;
  const plain = { template, clientId, baseUrl: "", tenants: [], teamId: "", keyId: "" };
  switch (message.case) {
    case "google":
      return { settings: plain, secret: message.value.clientSecret ?? "" };
    case "entra": {
      const { baseUrl, tenants, clientSecret: secret = "" } = message.value;
      return { settings: { ...plain, baseUrl, tenants: [...tenants] }, secret };
    }
    case "github":
    case "gitlab": {
      const { baseUrl, clientSecret: secret = "" } = message.value;
      return { settings: { ...plain, baseUrl }, secret };
    }
    case "apple": {
      const { teamId, privateKeyId: keyId, privateKey: secret = "" } = message.value;
      return { settings: { ...plain, teamId, keyId }, secret };
    }
  }
}

/** Returns the configuration as messages have it, without the secret. */
export function toTemplateMessage({ template, clientId, baseUrl, tenants, teamId, keyId }: TemplateConfig) {
  switch (template) {
    case "google":
      return { case: template, value: { clientId } };
    case "entra":
      return { case: template, value: { clientId, baseUrl, tenants: [...tenants] } };
    case "github":
      return { case: template, value: { clientId, baseUrl } };
    case "gitlab":
      return { case: template, value: { clientId, baseUrl } };
    case "apple":
      return { case: template, value: { clientId, teamId, privateKeyId: keyId } };
  }
}

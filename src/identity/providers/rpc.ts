import {
  type AddJwtIdentityProviderRequest,
  type AddOidcIdentityProviderRequest,
  type CreateIdentityProviderRequest,
  IdentityProviderService,
} from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import {
  IdentityProviderState,
  OidcMappingFieldSchema,
  StylingTypeSchema,
} from "../../../gen/gatehouse/v1/identity_provider_pb.ts";
import type { FieldViolation } from "../../kernel/base/problem.ts";
import { Secret } from "../../kernel/base/secret.ts";
import type { FeatureContext } from "../context.ts";
import {
  enumName,
  enumNumber,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  valueName,
} from "../messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs, toForcedCall } from "../rpc.ts";
import type { ChangedConfig, IdentityProviderCommands, NewConfig } from "./commands.ts";
import type { IdentityProvider, IdentityProviderSettings } from "./identity-provider.ts";
import type { IdentityProviderConfig } from "./kinds.ts";
import { requireDirectory, type ServerRules, toDirectory, toDirectoryMessage } from "./ldap-messages.ts";
import { toJwtSource } from "./jwt.ts";
import { checkDirectory } from "./ldap.ts";
import { checkScopes } from "./oidc.ts";
import { checkUrl, requireFetchable, type UrlRules } from "./url-rules.ts";
import { checkSaml, toUpstreamSettings } from "./saml.ts";
import { isTemplateMessage, toTemplate, toTemplateMessage } from "./template-messages.ts";
import { checkTemplate } from "./template.ts";

type Rpcs = ServiceRpcs<typeof IdentityProviderService>;

/** What the service connects to for identity providers. */
export interface ProviderRules {
  readonly urls: UrlRules;
  readonly directories: ServerRules;
}

/** Maps the messages of IdentityProviderService to commands. */
export function createIdentityProviderService(
  commands: IdentityProviderCommands,
  context: FeatureContext,
  rules: ProviderRules,
): ServiceImplementation {
  return implementService(IdentityProviderService, {
    ...deprecatedRpcs(commands, rules.urls),
    createIdentityProvider: {
      check: checkConfig,
      run: async (call, request) => {
        await requireReachable(rules, request.config);
        const { id, details } = await commands.add(call, toSettings(request), toNewConfig(request.config));
        return { idpId: id, details: toObjectDetails(details) };
      },
    },
    getIdentityProvider: {
      run: async (call, request) => ({
        identityProvider: toMessage(await commands.get(call, request.idpId)),
      }),
    },
    listIdentityProviders: {
      run: async (call, request) => {
        const filter = { ...request, state: valueName(IdentityProviderState, request.state) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), identityProviders: listed.page.items.map(toMessage) };
      },
    },
    updateIdentityProvider: {
      check: checkConfig,
      run: async (call, request) => {
        await requireReachable(rules, request.config);
        const change = { settings: toSettings(request), config: toChangedConfig(request.config) };
        return {
          details: toObjectDetails(await commands.update(toForcedCall(call, request), request.idpId, change)),
        };
      },
    },
    deactivateIdentityProvider: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.deactivate(toForcedCall(call, request), request.idpId)),
      }),
    },
    reactivateIdentityProvider: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.reactivate(call, request.idpId)),
      }),
    },
    removeIdentityProvider: {
      run: async (call, request) =>
        toRemovalAnswer(await commands.remove(toForcedCall(call, request), request.idpId)),
    },
  });
}

function deprecatedRpcs(
  commands: IdentityProviderCommands,
  urlRules: UrlRules,
): Pick<Rpcs, "addJwtIdentityProvider" | "addOidcIdentityProvider" | "updateJwtIdentityProvider"> {
  return {
    addJwtIdentityProvider: {
      check: (request) => checkJwt("", request),
      run: async (call, request) => {
        requireFetchable(urlRules, { field: "keys_endpoint", url: request.keysEndpoint });
        const config: NewConfig = { kind: "jwt", ...toJwtSource(request), audiences: [] };
        const { id, details } = await commands.add(call, toSettings(request), config);
        return { idpId: id, details: toObjectDetails(details) };
      },
    },
    addOidcIdentityProvider: {
      check: (request) => checkOidc("", request),
      run: async (call, request) => {
        requireFetchable(urlRules, { field: "issuer", url: request.issuer });
        const { id, details } = await commands.add(call, toSettings(request), toOidc(request));
        return { idpId: id, details: toObjectDetails(details) };
      },
    },
    updateJwtIdentityProvider: {
      check: (request) => checkJwt("", request),
      run: async (call, request) => {
        requireFetchable(urlRules, { field: "keys_endpoint", url: request.keysEndpoint });
        const details = await commands.updateJwt(
          toForcedCall(call, request),
          request.idpId,
          toJwtSource(request),
        );
        return { details: toObjectDetails(details) };
      },
    },
  };
}

type RequestConfig = CreateIdentityProviderRequest["config"];
type JwtFields = Pick<
  AddJwtIdentityProviderRequest,
  "jwtEndpoint" | "issuer" | "keysEndpoint" | "headerName"
>;
type OidcFields = Pick<
  AddOidcIdentityProviderRequest,
  "clientId" | "issuer" | "scopes" | "displayNameMapping" | "usernameMapping"
> & { readonly clientSecret?: string };

function checkConfig({
  config,
  autoRegister,
}: Pick<CreateIdentityProviderRequest, "config" | "autoRegister">): readonly FieldViolation[] {
  if (isTemplateMessage(config)) {
    const { settings, secret } = toTemplate(config);
    return checkTemplate(settings, { autoRegister, secret });
  }
  switch (config.case) {
    case "jwt":
      return checkJwt("jwt.", config.value);
    case "oidc":
      return checkOidc("oidc.", config.value);
    case "saml":
      return checkSaml("saml.", config.value);
    case "ldap":
      return checkDirectory("ldap.", toDirectory(config.value));
    case undefined:
      return []; // the rule of the oneof reports it
  }
}

function checkJwt(path: string, request: JwtFields): readonly FieldViolation[] {
  const rules = { allowQuery: true };
  return [
    ...checkUrl(`${path}jwt_endpoint`, request.jwtEndpoint, rules),
    ...checkUrl(`${path}keys_endpoint`, request.keysEndpoint, rules),
  ];
}

function checkOidc(path: string, request: OidcFields): readonly FieldViolation[] {
  return [
    ...checkUrl(`${path}issuer`, request.issuer, { allowQuery: false }),
    ...checkScopes(`${path}scopes`, request.scopes),
  ];
}

/** Refuses what the service itself would not connect to. It sends only browsers to a jwt_endpoint. Raises URL_FORBIDDEN, FIELD_INVALID. */
async function requireReachable(rules: ProviderRules, config: RequestConfig): Promise<void> {
  if (isTemplateMessage(config)) {
    const { template, baseUrl: url } = toTemplate(config).settings;
    return url === "" ? undefined : requireFetchable(rules.urls, { field: `${template}.base_url`, url });
  }
  switch (config.case) {
    case "jwt":
      return requireFetchable(rules.urls, { field: "jwt.keys_endpoint", url: config.value.keysEndpoint });
    case "oidc":
      return requireFetchable(rules.urls, { field: "oidc.issuer", url: config.value.issuer });
    case "saml": {
      const url = config.value.metadataUrl;
      return url === "" ? undefined : requireFetchable(rules.urls, { field: "saml.metadata_url", url });
    }
    case "ldap":
      return await requireDirectory(rules.directories, config.value);
    case undefined:
      throw new Error("the oneof config is required by its rule");
  }
}

function toSettings({
  name,
  stylingType,
  autoRegister,
}: Pick<CreateIdentityProviderRequest, keyof IdentityProviderSettings>): IdentityProviderSettings {
  return { name, stylingType: enumName(StylingTypeSchema, stylingType), autoRegister };
}

function toNewConfig(config: RequestConfig): NewConfig {
  if (isTemplateMessage(config)) {
    const { settings, secret } = toTemplate(config);
    return { kind: "template", ...settings, secret: new Secret(secret) };
  }
  switch (config.case) {
    case "jwt":
      return { kind: "jwt", ...toJwtSource(config.value), audiences: config.value.audiences };
    case "oidc":
      return toOidc(config.value);
    case "saml":
      return { kind: "saml", ...toUpstreamSettings(config.value) };
    case "ldap":
      return {
        kind: "ldap",
        ...toDirectory(config.value),
        bindPassword: sentSecret(config.value.bindPassword),
      };
    case undefined:
      throw new Error("the oneof config is required by its rule");
  }
}

function toChangedConfig(config: RequestConfig): ChangedConfig {
  const sent = toNewConfig(config);
  switch (sent.kind) {
    case "jwt":
    case "saml":
    case "ldap":
      return sent;
    case "oidc":
      return sent.clientSecret.reveal() === "" ? { ...sent, clientSecret: undefined } : sent;
    case "template":
      return sent.secret.reveal() === "" ? { ...sent, secret: undefined } : sent;
  }
}

function sentSecret(text: string | undefined): Secret | undefined {
  return text === undefined || text === "" ? undefined : new Secret(text);
}

function toOidc(request: OidcFields): NewConfig & { readonly kind: "oidc" } {
  return {
    kind: "oidc",
    clientId: request.clientId,
    clientSecret: new Secret(request.clientSecret ?? ""),
    issuer: request.issuer,
    scopes: request.scopes,
    displayNameMapping: enumName(OidcMappingFieldSchema, request.displayNameMapping),
    usernameMapping: enumName(OidcMappingFieldSchema, request.usernameMapping),
  };
}

function toMessage(provider: IdentityProvider) {
  return {
    ...provider,
    details: toObjectDetails(provider.details),
    state: IdentityProviderState[provider.state],
    stylingType: enumNumber(StylingTypeSchema, provider.stylingType),
    config: toConfigMessage(provider.config),
  };
}

function toConfigMessage(config: IdentityProviderConfig) {
  switch (config.kind) {
    case "jwt":
      return { case: config.kind, value: { ...toJwtSource(config), audiences: [...config.audiences] } };
    case "oidc": {
      const value = {
        clientId: config.clientId,
        issuer: config.issuer,
        scopes: [...config.scopes],
        displayNameMapping: enumNumber(OidcMappingFieldSchema, config.displayNameMapping),
        usernameMapping: enumNumber(OidcMappingFieldSchema, config.usernameMapping),
      };
      return { case: config.kind, value };
    }
    case "saml":
      return { case: config.kind, value: toUpstreamSettings(config) };
    case "ldap":
      return { case: config.kind, value: toDirectoryMessage(config) };
    case "template":
      return toTemplateMessage(config);
  }
}

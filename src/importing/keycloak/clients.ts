import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcSubject,
  OidcTokenType,
} from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { originViolation, redirectUriViolation } from "../../identity/applications/oidc/redirect-uri.ts";
import { Secret } from "../../kernel/base/secret.ts";
import type { JsonFields } from "../json-members.ts";
import { type ApplicationRecord, type OidcRecord, type Remark, remark } from "../records.ts";
import { quote } from "../report.ts";
import { flagIn, objectIn, textIn, textsIn } from "../json-fields.ts";
import { readMappers } from "./mappers.ts";
import { builtInClients } from "./roles.ts";
import { hasServiceAccount, methodOfClient } from "./service-users.ts";
import { toServiceProviderXml } from "./service-provider.ts";
import { realmProject } from "./users.ts";

/** How clients come. */
export interface ClientOptions {
  /** Whether they go on being told the ids that users had in Keycloak, as `sub`. */
  readonly keepsSubjects: boolean;
}

type AppType = "WEB" | "USER_AGENT" | "NATIVE";

/** Makes the record of a client of a realm (ClientRepresentation), and says what does not come along. */
export function toApplication(
  where: string,
  client: JsonFields,
  options: ClientOptions,
  scopes: readonly JsonFields[],
): readonly (ApplicationRecord | Remark)[] {
  const clientId = textIn(client, "clientId");
  const note = (text: string) => remark(where, "note", `client ${quote(clientId)} ${text}`);
  if (builtInClients.has(clientId)) return [];
  const { claims, notes: ofMappers } = readMappers(client, scopes);
  const record = {
    kind: "application",
    claims,
    where,
    oldId: textIn(client, "id"),
    name: clientId,
    project: realmProject,
  } as const;
  const protocol = textIn(client, "protocol");
  if (client["enabled"] === false) return [note("is left out: it is disabled")];
  if (protocol === "saml") {
    const { metadataXml, without } = toServiceProviderXml(client);
    if (metadataXml === undefined) return [note("is left out: it has no URL to send assertions to")];
    return [...[...without, ...ofMappers].map(note), { ...record, config: { kind: "saml", metadataXml } }];
  }
  if (protocol !== "" && protocol !== "openid-connect")
    return [note(`is left out: it speaks ${quote(protocol)}`)];
  if (flagIn(client, "bearerOnly"))
    return [note("is left out: it only takes tokens; add an API application for it")];
  const grants = grantsOf(client);
  if (grants.length === 0)
    return hasServiceAccount(client)
      ? []
      : [note("is left out: nobody logs in to it, and it has no service account")];
  const { config, notes } = toOidc(client, grants, options);
  if (config.settings.redirectUris?.length === 0 && grants.includes(OidcGrantType.AUTHORIZATION_CODE))
    return [...notes.map(note), note("is left out: none of its redirect URIs can come along")];
  return [...[...notes, ...ofMappers].map(note), { ...record, config }];
}

function grantsOf(client: JsonFields): readonly OidcGrantType[] {
  const isDevice = flagIn(objectIn(client, "attributes"), "oauth2.device.authorization.grant.enabled");
  return [
    // Keycloak's own default is true, and an export always says it.
    ...(client["standardFlowEnabled"] === false
      ? []
      : [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN]),
    ...(isDevice ? [OidcGrantType.DEVICE_CODE] : []),
  ];
}

function toOidc(
  client: JsonFields,
  grantTypes: readonly OidcGrantType[],
  { keepsSubjects }: ClientOptions,
): { readonly config: OidcRecord; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const attributes = objectIn(client, "attributes");
  const isPublic = flagIn(client, "publicClient");
  const all = textsIn(client, "redirectUris").map((uri) => toAbsolute(uri, textIn(client, "rootUrl")));
  const appType = isPublic ? publicTypeOf(all) : "WEB";
  const rule = { appType, isDevMode: false };
  const keep = (uris: readonly string[], what: string, violationOf = redirectUriViolation) =>
    [...new Set(uris)].filter((uri) => {
      const why = violationOf(uri, rule);
      if (why !== undefined) notes.push(`comes without the ${what} ${quote(uri)}: it ${why}`);
      return why === undefined;
    });
  const redirectUris = keep(all, "redirect URI");
  const after = textIn(attributes, "post.logout.redirect.uris");
  const afterLogout =
    after === "" || after === "-"
      ? []
      : after.split("##").flatMap((uri) => (uri === "+" ? redirectUris : [uri]));
  const origins = textsIn(client, "webOrigins").filter((origin) => origin !== "+");
  const method = isPublic ? OidcAuthMethodType.NONE : methodOfClient(client);
  if (method === OidcAuthMethodType.PRIVATE_KEY_JWT)
    notes.push("authenticates with a key, which has to be added here");
  notes.push(...listLeftOut(client, attributes));
  const secret = textIn(client, "secret");
  return {
    notes,
    config: {
      kind: "oidc",
      secret: method === OidcAuthMethodType.BASIC && secret !== "" ? new Secret(secret) : undefined,
      settings: {
        redirectUris,
        grantTypes: [...grantTypes],
        appType: OidcAppType[appType],
        authMethodType: method,
        postLogoutRedirectUris: keep(afterLogout, "URI after a logout"),
        additionalOrigins: keep(origins, "origin", originViolation),
        backChannelLogoutUri: textIn(attributes, "backchannel.logout.url"),
        requirePkce: textIn(attributes, "pkce.code.challenge.method") === "S256",
        // As Keycloak's tokens are.
        accessTokenType: OidcTokenType.JWT,
        accessTokenRoleAssertion: true,
        subject: keepsSubjects ? OidcSubject.IMPORTED_ID : OidcSubject.ID,
      },
    },
  };
}

/** Pages in a browser have URIs of the web; what runs on a device has others, or is on the device itself. */
function publicTypeOf(uris: readonly string[]): AppType {
  return uris.some((uri) => uri.startsWith("https:")) ? "USER_AGENT" : "NATIVE";
}

function toAbsolute(uri: string, rootUrl: string): string {
  return uri.startsWith("/") && rootUrl !== "" ? rootUrl.replace(/\/$/, "") + uri : uri;
}

function listLeftOut(client: JsonFields, attributes: JsonFields): readonly string[] {
  const flows = [
    ...(flagIn(client, "implicitFlowEnabled") ? ["the implicit flow"] : []),
    ...(flagIn(client, "directAccessGrantsEnabled")
      ? ["logins by a form of its own (direct access grants)"]
      : []),
    ...(Object.keys(objectIn(client, "authenticationFlowBindingOverrides")).length > 0
      ? ["its authentication flows"]
      : []),
    ...(textIn(attributes, "login_theme") === "" ? [] : ["its theme"]),
    ...(client["authorizationSettings"] === undefined ? [] : ["its authorization settings"]),
  ];
  return flows.map((what) => `comes without ${what}`);
}

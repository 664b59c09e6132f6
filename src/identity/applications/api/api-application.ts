import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { ApiApplicationPayload } from "../../../kernel/events/application-payloads.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { Project } from "../../projects/project.ts";
import { aggregateOf, type ApplicationOfKind, isNotApplicationOf } from "../application/application.ts";
import { removeUnusedSecret, type OAuthApplicationBase } from "../oauth/oauth-application.ts";
import { type ApiResourceState, toResourceKey } from "./api-resource.ts";
import type { ApiScope } from "./api-scope.ts";

/** How an API authenticates. */
export type ApiMethod = "BASIC" | "PRIVATE_KEY_JWT";

/** How an API uses OAuth. A change replaces all of it. */
export interface ApiSettings {
  readonly authMethodType: ApiMethod;
  /** The URI that clients name it by (RFC 8707); empty: none. */
  readonly resource: string;
  readonly scopes: readonly ApiScope[];
  /** Whether the resource may be http on loopback. */
  readonly isDevMode: boolean;
  /** Whether external clients may have tokens for the resource. */
  readonly allowsExternalClients: boolean;
}

/** An API: nobody logs in to it; it checks the access tokens that it receives, by introspection or as JWTs. */
export interface ApiApplication extends OAuthApplicationBase {
  readonly kind: "api";
  readonly api: StoredApiSettings;
}

/** Settings, and whether tokens are given for the resource: undefined without one. */
export interface StoredApiSettings extends ApiSettings {
  readonly resourceState: ApiResourceState | undefined;
}

/** Raises WRONG_KIND for an application of another kind. */
export function requireApi(application: ApiApplication | ApplicationOfKind<"saml" | "oidc">): ApiApplication {
  if (application.kind !== "api") throw isNotApplicationOf("an API application", application.id);
  return application;
}

/** Decides to add an API application. */
export function addApiApplication(input: {
  readonly id: ApplicationId;
  readonly project: Project;
  readonly name: string;
  readonly settings: StoredApiSettings;
}): NewEvent {
  const { id, project, name, settings } = input;
  return {
    type: "application.api.added",
    aggregateId: id,
    resourceOwner: project.details.resourceOwner,
    payload: { project_id: project.id, name, ...toApiPayload(settings) },
  };
}

/** Decides to replace the settings, as for OIDC applications. */
export function changeApiSettings(
  application: ApiApplication,
  settings: StoredApiSettings,
): readonly NewEvent[] {
  const payload = toApiPayload(settings);
  if (JSON.stringify(payload) === JSON.stringify(toApiPayload(application.api))) return [];
  return [
    { type: "application.api.changed", ...aggregateOf(application), payload },
    ...removeUnusedSecret(application, settings.authMethodType),
  ];
}

/** Says whether the application has that resource, and tokens are given for it. */
export function isVerifiedFor(application: ApiApplication | undefined, resource: string): boolean {
  if (application?.api.resourceState !== "VERIFIED") return false;
  return toResourceKey(application.api.resource) === toResourceKey(resource);
}

/** Makes the payload of the events. */
function toApiPayload(settings: StoredApiSettings): ApiApplicationPayload {
  const { authMethodType, resource, resourceState, scopes, isDevMode, allowsExternalClients } = settings;
  return {
    auth_method_type: authMethodType,
    ...(resourceState === undefined ? {} : { resource, resource_state: resourceState }),
    ...(scopes.length === 0
      ? {}
      : {
          scopes: scopes.map(({ name, description, isDefault, roleKeys }) => ({
            name,
            description,
            is_default: isDefault,
            role_keys: roleKeys,
          })),
        }),
    ...(isDevMode ? { dev_mode: true } : {}),
    ...(allowsExternalClients ? { allow_external_clients: true } : {}),
  };
}

/** Reads the payload of the events. */
export function fromApiPayload(payload: ApiApplicationPayload): StoredApiSettings {
  return {
    authMethodType: payload.auth_method_type as ApiMethod, // written above, as all of it
    resource: payload.resource ?? "",
    resourceState: payload.resource_state as ApiResourceState | undefined,
    scopes: (payload.scopes ?? []).map(
      ({ name, description, is_default: isDefault, role_keys: roleKeys }) => ({
        name,
        description,
        isDefault,
        roleKeys,
      }),
    ),
    isDevMode: payload.dev_mode ?? false,
    allowsExternalClients: payload.allow_external_clients ?? false,
  };
}

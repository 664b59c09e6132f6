import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { Project } from "../../projects/project.ts";
import { aggregateOf, type ApplicationOfKind, isNotApplicationOf } from "../application/application.ts";
import { removeUnusedSecret, type OAuthApplicationBase } from "../oauth/oauth-application.ts";

/** How an API authenticates. */
export type ApiMethod = "BASIC" | "PRIVATE_KEY_JWT";

/** How an API uses OAuth. A change replaces all of it. */
export interface ApiSettings {
  readonly authMethodType: ApiMethod;
}

/** An API: nobody logs in to it; it checks the access tokens that it receives by introspection. */
export interface ApiApplication extends OAuthApplicationBase {
  readonly kind: "api";
  readonly api: ApiSettings;
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
  readonly settings: ApiSettings;
}): NewEvent {
  const { id, project, name, settings } = input;
  return {
    type: "application.api.added",
    aggregateId: id,
    resourceOwner: project.details.resourceOwner,
    payload: { project_id: project.id, name, auth_method_type: settings.authMethodType },
  };
}

/** Decides to replace the settings, as for OIDC applications. */
export function changeApiSettings(application: ApiApplication, settings: ApiSettings): readonly NewEvent[] {
  const { authMethodType } = settings;
  if (authMethodType === application.api.authMethodType) return [];
  return [
    {
      type: "application.api.changed",
      ...aggregateOf(application),
      payload: { auth_method_type: authMethodType },
    },
    ...removeUnusedSecret(application, authMethodType),
  ];
}

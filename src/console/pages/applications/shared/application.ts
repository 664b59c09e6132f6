import {
  type Application,
  ExternalClientKind,
} from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { OidcAppType } from "../../../../../gen/console/gatehouse/v1/oidc_pb.ts";
import { toPath } from "../../../routing/routes.ts";

/** The kinds of application, as addresses of pages name them. */
export const applicationKinds = ["web", "browser", "native", "api", "saml"] as const;

/** A kind of application: three of OpenID Connect by where they run, APIs, and SAML. */
export type ApplicationKind = (typeof applicationKinds)[number];

/** Returns the kind with that name, if there is one. */
export function toApplicationKind(name: string): ApplicationKind | undefined {
  return applicationKinds.find((kind) => kind === name);
}

const appTypes = {
  web: OidcAppType.WEB,
  browser: OidcAppType.USER_AGENT,
  native: OidcAppType.NATIVE,
} as const;

/** The kinds that use OpenID Connect. */
export type OidcKind = keyof typeof appTypes;

/** Returns where applications of the kind run. */
export function appTypeOf(kind: OidcKind): OidcAppType {
  return appTypes[kind];
}

/** Says what pages call an application: of which kind it is, or that nobody has created it. */
export function kindOf(application: Pick<Application, "config">): ApplicationKind | "external" {
  const { config } = application;
  if (config.case !== "oidc") return config.case === "saml" ? "saml" : "api";
  if (isExternal(application)) return "external";
  const { appType } = config.value;
  return appType === OidcAppType.NATIVE ? "native" : appType === OidcAppType.USER_AGENT ? "browser" : "web";
}

/** Says whether the application is a client that has introduced itself. */
export function isExternal({ config }: Pick<Application, "config">): boolean {
  return config.case === "oidc" && config.value.externalClient !== ExternalClientKind.UNSPECIFIED;
}

/** The project whose applications a page shows, and its organization. */
export interface ProjectParams {
  readonly organization: string;
  readonly project: string;
}

/** Returns the list of the applications of a project. */
export function toApplications({ organization, project }: ProjectParams): string {
  return toPath("/orgs/:organization/projects/:project/applications", { organization, project });
}

/** Returns the page of an application. */
export function toApplication(params: ProjectParams, application: string): string {
  return `${toApplications(params)}/${encodeURIComponent(application)}`;
}

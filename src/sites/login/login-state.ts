import type { Application } from "../../identity/applications/application.ts";
import type { LoginPolicy } from "../../identity/policies/login-policy.ts";
import type { Organization } from "../../identity/organizations/organization.ts";
import type { Project } from "../../identity/projects/project.ts";
import type { LiveSession, SessionMethod } from "../../identity/logins/sessions/session.ts";
import type { HumanUser } from "../../identity/people/user/user.ts";
import type { Interaction } from "./interaction.ts";
import type { LoginProtocol } from "./login-protocol.ts";

/** All that decides how a login goes on, read at one moment. */
export interface LoginState {
  readonly issuer: string;
  readonly nowMs: number;
  readonly interaction: Interaction;
  /** That of the request; undefined: no application asks. */
  readonly protocol: Pick<LoginProtocol, "listGift" | "staysHome"> | undefined;
  /** Undefined: the login is for pages of ours, or for the console. */
  readonly application: LoginApplication | undefined;
  /** The organization whose users alone may log in; undefined: those of any. */
  readonly requestedOrganization: Organization | undefined;
  /** The session of the browser, of any user; undefined when there is none that holds. */
  readonly session: LiveSession | undefined;
  /** The user whose first factor was proved, in the interaction or in the session that it rests on. */
  readonly user: LoginUser | undefined;
  /** What the user has proved. */
  readonly methods: readonly SessionMethod[];
  /**
   * Of the organization that logs in: that of the request, else that of the application, else the instance. It decides what pages
   * offer.
   */
  readonly policy: LoginPolicy;
  /** The relying party id of these pages; undefined: there is none, and no security key is a factor here. */
  readonly factorDomain: string | undefined;
}

/** An ACTIVE application in an ACTIVE project of an ACTIVE organization. */
export interface LoginApplication {
  readonly application: Application;
  readonly project: Project;
  readonly organization: Organization;
}

/** An ACTIVE user of an ACTIVE organization. */
export interface LoginUser {
  readonly user: HumanUser;
  readonly organization: Organization;
  /** How often the user was locked. */
  readonly lockCount: number;
  /**
   * By which the user logs in: the policy of the instance for holders of a role there, else the policy of the user's organization.
   */
  readonly policy: LoginPolicy;
  /** Whether the user holds a role on the instance. */
  readonly isOnInstance: boolean;
}

/** Returns the user of a state. Throws when there is none: a step after the first factor always has one. */
export function requireLoginUser({ user }: Pick<LoginState, "user">): LoginUser {
  if (user === undefined) throw new Error("nobody has proved a first factor");
  return user;
}

/** Returns the application of a state. Throws when there is none: only steps of applications ask for it. */
export function requireLoginApplication({ application }: Pick<LoginState, "application">): LoginApplication {
  if (application === undefined) throw new Error("the login is not for an application");
  return application;
}

/**
 * Chooses whose name the pages show; undefined: that of the instance. An organization that the application has asked for wins
 * over every setting of the project but the one that demands its owner.
 */
export function chooseLabel(
  state: Pick<LoginState, "application" | "requestedOrganization" | "user">,
): Pick<Organization, "id" | "name"> | undefined {
  const { application, requestedOrganization, user } = state;
  if (application === undefined) return requestedOrganization;
  const setting = application.project.privateLabelingSetting;
  if (setting === "PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY")
    return application.organization;
  if (requestedOrganization !== undefined) return requestedOrganization;
  if (setting === "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY")
    return user?.organization ?? application.organization;
  return undefined;
}

import type { Details } from "../../../kernel/base/details.ts";
import type { ApplicationId, ProjectId } from "../../../kernel/base/ids.ts";
import { alreadyExists, notFound, type Problem, wrongKind } from "../../../kernel/base/problem.ts";
import { requireVisible } from "../../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";

/** The data that applications of every kind have. An application is something in a project that users log in to. */
export interface ApplicationBase {
  readonly id: ApplicationId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly projectId: ProjectId;
  /** Unique in the project, but among external clients. */
  readonly name: string;
  /** How it came to be here, if nobody has created it. */
  readonly external?: ExternalClientKind | undefined;
}

/** How a client came to be here that nobody has created: by the document at its client id, or by registering itself. */
export type ExternalClientKind = "METADATA_DOCUMENT" | "REGISTRATION";

/** Raises WRONG_KIND for an external client: nobody here decides what it is, but it can be deactivated and removed. */
export function requireCreated({ id, external }: Pick<ApplicationBase, "id" | "external">): void {
  if (external !== undefined) throw isNotApplicationOf("one that somebody has created", id);
}

/** How users or other programs use an application. Set at creation; it cannot change. */
export type ApplicationKind = "saml" | "oidc" | "api";

/** An application of one of these kinds, without what only they have. */
export interface ApplicationOfKind<Kind extends ApplicationKind> extends ApplicationBase {
  readonly kind: Kind;
}

/** How a caller names an application. */
export interface ApplicationName {
  readonly projectId: string;
  readonly applicationId: string;
}

/** Decides to rename the application: an event, or none when the name is the same. Raises FIELD_INVALID for one with invisible characters, and WRONG_KIND. */
export function renameApplication(application: ApplicationBase, name: string): readonly NewEvent[] {
  requireCreated(application);
  if (name === application.name) return [];
  requireVisible({ name });
  return [{ type: "application.changed", ...aggregateOf(application), payload: { name } }];
}

/** Decides to deactivate the application: an event, or none when it is inactive. */
export function deactivateApplication(application: ApplicationBase): readonly NewEvent[] {
  if (application.state === "INACTIVE") return [];
  return [{ type: "application.deactivated", ...aggregateOf(application), payload: {} }];
}

/** Decides to reactivate the application: an event, or none when it is active. Raises WRONG_KIND. */
export function reactivateApplication(application: ApplicationBase): readonly NewEvent[] {
  requireCreated(application);
  if (application.state === "ACTIVE") return [];
  return [{ type: "application.reactivated", ...aggregateOf(application), payload: {} }];
}

/** Decides to remove the application. */
export function removeApplication(application: ApplicationBase): readonly NewEvent[] {
  return [{ type: "application.removed", ...aggregateOf(application), payload: {} }];
}

/** Returns the problem of an application that does not exist or is in another project. */
export function applicationNotFound(id: string): Problem {
  return notFound("application", id);
}

/** Returns the problem of a name that another application of the project has. */
export function applicationNameTaken(name: string): Problem {
  return alreadyExists("application", name);
}

/** Returns the problem of an application that is of another kind than the call needs, such as `an OIDC application`. */
export function isNotApplicationOf(kind: string, id: ApplicationId): Problem {
  return wrongKind(`the application is not ${kind}; name one that is`, { type: "application", name: id });
}

/** Names the application and its organization, as each of its events does. */
export function aggregateOf({ id, details }: ApplicationBase) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

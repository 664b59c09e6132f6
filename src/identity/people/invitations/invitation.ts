import { fieldInvalid, Problem, stateConflict } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { HumanUser } from "../user/user.ts";

/** What an invitation says, as a caller asks for it. */
export interface Invite {
  /** Empty: the link leads to a page of our own. */
  readonly urlTemplate: string;
  /** Empty: it names no application. */
  readonly applicationId: string;
}

/** An application that a person is invited to. */
export interface InvitingApplication {
  readonly id: string;
  readonly name: string;
}

/** Decides that the user is invited, in place of any former invitation. */
export function sendInvitation(
  user: Pick<HumanUser, "id" | "details">,
  sent: { readonly expirationMs: number; readonly applicationId: string | undefined },
): NewEvent {
  const { expirationMs, applicationId } = sent;
  return {
    type: "user.invitation.sent",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: {
      expiration_date: new Date(expirationMs).toISOString(),
      ...(applicationId === undefined ? {} : { application_id: applicationId }),
    },
  };
}

/** Refuses to invite a user who could not come in by the link, or is in already. Raises STATE_CONFLICT, INVITATION_NOT_NEEDED. */
export function requireInvitable(user: HumanUser, { isSetUp }: { readonly isSetUp: boolean }): void {
  if (user.state !== "ACTIVE") {
    const message = `the user is ${user.state.toLowerCase()}; make them active first`;
    throw stateConflict({ type: "user", name: user.id }, user.state, message);
  }
  if (user.hasPassword || isSetUp) throw invitationNotNeeded();
}

/** Returns the link to the page of our own that takes the code of an invitation. */
export function linkToInvitation(issuer: string, userId: string, code: string): string {
  return `${issuer}/login/invitation/${userId}?${new URLSearchParams({ code }).toString()}`;
}

/** Returns the problem of an application that cannot be named. */
export function applicationNotInReach(field: string): Problem {
  return fieldInvalid(
    field,
    "must be the id of an active application that people sign in to, of a project that the user's organization owns or was granted",
  );
}

function invitationNotNeeded(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "INVITATION_NOT_NEEDED",
    message: "the user has a way to sign in, or a second factor; send a link for a new password instead",
  });
}

import type { Call, Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, type Details } from "../../../kernel/base/details.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { requireTarget, write, type UserContext } from "../../context.ts";
import { findOrganization } from "../../organizations/repository.ts";
import { invitationLifetimeMs } from "../codes/code.ts";
import type { Mailer } from "../emails/mailer.ts";
import { findEmailLineage } from "../emails/repository.ts";
import type { CountedMessage } from "../messages/commands.ts";
import { chooseLink, type LinkOptions } from "../passwords/chosen-link.ts";
import { mailCode } from "../passwords/mailed-code.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";
import {
  applicationNotInReach,
  type Invite,
  type InvitingApplication,
  linkToInvitation,
  requireInvitable,
  sendInvitation,
} from "./invitation.ts";
import { findInvitingApplication, isSetUp } from "./repository.ts";

/** The ports of invitations besides the context. */
export interface InvitationOptions extends LinkOptions {
  readonly mailer: Mailer;
}

/** The use cases of invitations. */
export interface InvitationCommands {
  /**
   * Invites a user, in place of any former invitation; `invite` undefined: as the former one, on our own page. Does not wait for the
   * mail to be delivered. Raises NOT_FOUND, WRONG_KIND, STATE_CONFLICT, INVITATION_NOT_NEEDED, FIELD_INVALID, CODE_NOT_PENDING,
   * MAIL_NOT_CONFIGURED, ISSUER_NOT_CONFIGURED, RATE_LIMITED.
   */
  resend(
    call: Call,
    input: { readonly userId: string; readonly invite: Invite | undefined },
  ): Promise<Details>;
}

/** Creates the commands of invitations. */
export function createInvitationCommands(
  context: UserContext,
  options: InvitationOptions,
): InvitationCommands {
  return {
    resend: (begun, { userId, invite }) =>
      write(context, begun, async ({ tx, call, append, afterCommit }) => {
        const found = await getUser(tx, call.access.organizationId, userId);
        const user = requireHuman(requireTarget(call, found));
        requireInvitable(user, { isSetUp: await isSetUp(tx, user.id) });
        const { events, mail } = await inviteUser({ ...options, context }, tx, {
          call,
          user,
          creator: (await findEmailLineage(tx, user.id))?.creator,
          invite: invite ?? (await inviteAgain(tx, user)),
        });
        afterCommit(() => options.mailer.start(call.requestId, mail));
        return changedDetails(user.details, await append(events));
      }),
  };
}

/** Leaves out the application of the former invitation if it can be named no longer. */
async function inviteAgain(tx: ReadTransaction, { invitation, details }: HumanUser): Promise<Invite> {
  const { applicationId = "" } = invitation ?? {};
  const isInReach = (await findInvitingApplication(tx, details.resourceOwner, applicationId)) !== undefined;
  return { urlTemplate: "", applicationId: isInReach ? applicationId : "" };
}

/**
 * Makes the code of an invitation, in place of any former code for the password, and counts its mail. Append the events, and hand the
 * mail to `start` of the mailer once the write is durable. Raises what `resend` raises for the invitation itself.
 */
export async function inviteUser(
  setup: InvitationOptions & { readonly context: UserContext },
  tx: WriteTransaction,
  asked: {
    readonly call: Call;
    readonly user: HumanUser;
    /** The user who answers for the address; undefined: nobody does. */
    readonly creator: Editor | undefined;
    readonly invite: Invite;
  },
): Promise<{ readonly events: readonly NewEvent[]; readonly mail: CountedMessage }> {
  const { context } = setup;
  const { call, user, creator, invite } = asked;
  const application = await findApplication(tx, user, invite);
  const organization = await findOrganization(tx, user.details.resourceOwner);
  const { toLink, isOwn } = await chooseLink(setup, tx, {
    user,
    urlTemplate: invite.urlTemplate,
    field: "invite.url_template",
    toOwnLink: (issuer, code) => linkToInvitation(issuer, user.id, code),
  });
  const names = { organization: organization?.name ?? "", application: application?.name };
  const mail = await mailCode(setup, tx, {
    user,
    toLink,
    linkedBy: isOwn ? undefined : call,
    creator,
    toContent: (code, link) => ({ kind: "invitation", code, link, ...names }),
    lifetimeMs: invitationLifetimeMs,
  });
  const expirationMs = context.clock.nowMs() + invitationLifetimeMs;
  return { events: [sendInvitation(user, { expirationMs, applicationId: application?.id })], mail };
}

async function findApplication(
  tx: ReadTransaction,
  { details }: HumanUser,
  { applicationId }: Invite,
): Promise<InvitingApplication | undefined> {
  if (applicationId === "") return undefined;
  const found = await findInvitingApplication(tx, details.resourceOwner, applicationId);
  if (found === undefined) throw applicationNotInReach("invite.application_id");
  return found;
}

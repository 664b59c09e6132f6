import type { Call, Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { toId } from "../../../kernel/base/ids.ts";
import { findMissing } from "../../../kernel/base/permission.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { holdsOutside } from "../../held-roles/outside.ts";
import { listHeldRoles, readRolesInForce } from "../../held-roles/repository.ts";
import { toAnswerable, withProvider } from "../../logins/login-origins/login-origin.ts";
import { codeNotPending, type CodeReceiver, newVerificationCode } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import type { Mailer, MailContent } from "../emails/mailer.ts";
import { findEmailLineage } from "../emails/repository.ts";
import type { CountedMessage } from "../messages/commands.ts";
import type { HumanUser } from "../user/user.ts";
import { originOfCall } from "./password-change.ts";

/** What the code of a password is mailed with. */
export interface ResetPorts {
  readonly context: FeatureContext;
  readonly mailer: Mailer;
}

/** A code that sets a password, and the mail that it goes out with. */
export interface CodeByMail {
  readonly user: HumanUser;
  readonly toLink: (code: string) => string;
  /** The call that chose the page behind the link, where it is not one of our own. */
  readonly linkedBy?: Call | undefined;
}

/**
 * Makes a code that sets a password, in place of any former one, and counts the mail with its link. Hand the mail to `start` of the
 * mailer once the write is durable. Raises CODE_NOT_PENDING for a user without an address, with one that nobody answers for since
 * the user gained roles, or with one that an identity provider vouches for while the user holds roles outside of their
 * organization; MAIL_NOT_CONFIGURED, RATE_LIMITED.
 */
export async function mailPasswordCode(
  ports: ResetPorts,
  tx: WriteTransaction,
  byMail: CodeByMail,
): Promise<CountedMessage> {
  const creator = (await findEmailLineage(tx, byMail.user.id))?.creator;
  return await mailCode(ports, tx, {
    ...byMail,
    creator,
    toContent: (code, link) => ({ kind: "password", code, link }),
  });
}

/** Does what `mailPasswordCode` says, with the content that the mail is to have. */
export async function mailCode(
  { context, mailer }: ResetPorts,
  tx: WriteTransaction,
  {
    user,
    toLink,
    linkedBy,
    creator,
    toContent,
    lifetimeMs,
  }: CodeByMail & {
    /** The user who answers for the address; undefined: nobody does. */
    readonly creator: Editor | undefined;
    readonly toContent: (code: Secret, link: Secret) => MailContent;
    /** Default: that of codes for passwords. */
    readonly lifetimeMs?: number;
  },
): Promise<CountedMessage> {
  if (user.email === "" || creator === undefined) throw codeNotPending();
  if (!(await maySetPassword(tx, user, creator))) throw codeNotPending();
  const code = newVerificationCode("reset", context.random);
  const content = toContent(code, new Secret(toLink(code.reveal())));
  const mail = await mailer.count(tx, { user, email: user.email, content });
  await putNewCode(tx, "reset", {
    ...context,
    userId: user.id,
    address: "",
    code,
    nowMs: context.clock.nowMs(),
    givenTo: await findReceiver(tx, { user, creator, linkedBy }),
    isSent: true,
    lifetimeMs,
  });
  return mail;
}

/**
 * Says whether codes may go to an address. The administrators of the identity provider that vouches for it read them, or could have
 * set it: they must not get roles outside of the user's organization.
 */
async function maySetPassword(tx: ReadTransaction, user: HumanUser, creator: Editor): Promise<boolean> {
  if (!toAnswerable(creator).isByProvider) return true;
  return !holdsOutside(await listHeldRoles(tx, user.id), toId(user.details.resourceOwner));
}

/**
 * Finds the other people that may read the code: the users that set the address, and that chose the page that the code goes to. Of
 * two users it is the one with fewer roles; the administrators of the identity provider count besides. Undefined if it is only the
 * user.
 */
async function findReceiver(
  tx: WriteTransaction,
  {
    user,
    creator,
    linkedBy,
  }: { readonly user: HumanUser; readonly creator: Editor; readonly linkedBy: Call | undefined },
): Promise<CodeReceiver | undefined> {
  const page = linkedBy && (await findChooser(tx, linkedBy, user));
  const setBy = creator === user.id || creator === "system" ? undefined : creator;
  const [byAddress, byPage] = [setBy, page?.userId].map((each) => each && toAnswerable(each));
  const isByPage =
    byAddress?.maker === undefined ||
    (linkedBy !== undefined && (await isBelow(tx, { maker: byPage?.maker, linkedBy }, byAddress.maker)));
  const maker = isByPage ? byPage?.maker : byAddress.maker;
  const tokenId = isByPage ? page?.tokenId : undefined;
  if (byAddress?.isByProvider === true || byPage?.isByProvider === true)
    return { userId: withProvider(maker), tokenId };
  return maker && { userId: maker, tokenId };
}

/**
 * Finds the user that chose the page of a link: the caller, or a user who could have made the login of the call. Undefined if only
 * the user could.
 */
async function findChooser(
  tx: ReadTransaction,
  call: Call,
  { id }: HumanUser,
): Promise<CodeReceiver | undefined> {
  const { creator, madeWithTokenId } = await originOfCall(tx, call, id);
  return creator === id ? undefined : { userId: creator, tokenId: madeWithTokenId };
}

/**
 * Says whether the user that chose the page holds nothing that the setter of the address lacks. The caller holds what the token
 * carries.
 */
async function isBelow(
  tx: ReadTransaction,
  { maker, linkedBy }: { readonly maker: Editor | undefined; readonly linkedBy: Call },
  setBy: Editor,
): Promise<boolean> {
  if (maker === undefined) return false;
  const { userId, held } = linkedBy.caller;
  const carried = maker === userId ? held : await listHeldRoles(tx, maker);
  const { held: heldBySetter } = await readRolesInForce(tx, setBy);
  return findMissing(heldBySetter, carried) === undefined;
}

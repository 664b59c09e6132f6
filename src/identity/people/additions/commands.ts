import type { UserId } from "../../../kernel/base/ids.ts";
import type { Call, Editor } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { createdDetails } from "../../../kernel/base/details.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type CommandTransaction, read, type UserContext, write } from "../../context.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { findOrganization } from "../../organizations/repository.ts";
import { readLoginPolicy } from "../../policies/repository.ts";
import { newVerificationCode } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import { verifyEmail } from "../emails/email.ts";
import { mailEmailCode } from "../emails/email-code.ts";
import { type InvitationOptions, inviteUser } from "../invitations/commands.ts";
import type { PasswordOptions } from "../passwords/commands.ts";
import { importHash, measureHash } from "../passwords/imported-hash.ts";
import { checkNewPassword, originOfCall } from "../passwords/password-change.ts";
import { setPassword } from "../passwords/password.ts";
import { putPasswordHash } from "../passwords/repository.ts";
import { type AddedUser, answerForEmail } from "../user/commands.ts";
import { requireFreeImportedId } from "../user/imported-id-repository.ts";
import { parsePhone } from "../user/phone-number.ts";
import { addUser } from "../user/login-name-repository.ts";
import { addHumanUser, type HumanUser } from "../user/user.ts";
import { type NewPerson, requireMayAdd, toNewHuman } from "./addition.ts";

/** A person who was just added. */
export interface AddedPerson extends AddedUser {
  /** Only for `return-code`. */
  readonly code: Secret | undefined;
}

/** The use case of adding people. */
export interface AdditionCommands {
  /**
   * Adds a human user, with all that the caller says about how they sign in. `phone` is as the caller wrote it. Does not wait for a
   * mail to be delivered. Raises FIELD_INVALID, PERMISSION_DENIED, PASSWORD_TOO_WEAK, ALREADY_EXISTS for a username that is taken,
   * OVERLOADED, MAIL_NOT_CONFIGURED, ISSUER_NOT_CONFIGURED, RATE_LIMITED.
   */
  addHuman(call: Call, person: NewPerson): Promise<AddedPerson>;
  /** Does what an item of a batch cannot wait for. Raises OVERLOADED. */
  prepareItem(call: Call, person: Pick<NewPerson, "firstPassword">): Promise<void>;
}

/** The ports of the command besides the context. */
export type AdditionOptions = PasswordOptions & InvitationOptions;

interface Setup extends AdditionOptions {
  readonly context: UserContext;
}

/** Creates the command that adds people. */
export function createAdditionCommands(context: UserContext, options: AdditionOptions): AdditionCommands {
  const setup: Setup = { ...options, context };
  return {
    addHuman: (call, person) => addHuman(setup, call, person),
    async prepareItem(call, { firstPassword }) {
      if (firstPassword?.kind === "hash") await measureHash(setup, call, firstPassword.encoded);
    },
  };
}

async function addHuman(setup: Setup, begun: Call, asked: NewPerson): Promise<AddedPerson> {
  const person = { ...asked, phone: asked.phone === "" ? "" : parsePhone(asked.phone) };
  requireMayAdd(begun, person);
  const encoded = await preparePassword(setup, begun, person);
  return await write(setup.context, begun, async (command) => {
    const { tx, call, append } = command;
    requireMayAdd(call, person);
    const { organizationId } = call.access;
    const { username, importedId = "" } = person;
    const decide = (drawn: UserId) => addHumanUser(drawn, organizationId, person);
    const { id, added } = await addUser(tx, call, { username, decide });
    if (importedId !== "") await requireFreeImportedId(tx, importedId);
    const user = toNewHuman(id, organizationId, person);
    const { isPasswordChangeRequired = false } = person;
    const email = await settleEmail(setup, command, { user, person });
    const events = [
      added,
      ...(await answerForEmail(tx, call, { id, organizationId, email: user.email })),
      ...(encoded === undefined
        ? []
        : await settlePassword(tx, { call, user, encoded, isChangeRequired: isPasswordChangeRequired })),
      ...email.events,
    ];
    return { id, details: createdDetails(await append(events), organizationId), code: email.code };
  });
}

/** Does what takes long, before the write. Returns the hash to store; undefined: there is no password. */
async function preparePassword(setup: Setup, call: Call, person: NewPerson): Promise<string | undefined> {
  const { firstPassword } = person;
  switch (firstPassword?.kind) {
    case undefined:
      return undefined;
    case "hash":
      return await importHash(setup, call, { field: "password_hash", given: firstPassword.encoded });
    case "password": {
      const password = firstPassword.password.reveal();
      const { organizationId } = call.access;
      const { policy, name } = await read(setup.context, call, async (tx) => ({
        policy: await readLoginPolicy(tx, organizationId),
        name: (await findOrganization(tx, organizationId))?.name,
      }));
      const place = { organizationName: name, issuer: setup.issuer() };
      const problem = await checkNewPassword({
        policy,
        user: person,
        place,
        password,
        breached: setup.breached,
      });
      if (problem !== undefined) throw problem;
      return call.isDryRun === true ? "" : await setup.hasher.hash(password);
    }
  }
}

async function settlePassword(
  tx: WriteTransaction,
  set: {
    readonly call: Call;
    readonly user: HumanUser;
    readonly encoded: string;
    readonly isChangeRequired: boolean;
  },
): Promise<readonly NewEvent[]> {
  const { call, user, encoded, isChangeRequired } = set;
  await putPasswordHash(tx, user.id, encoded);
  return [setPassword(user, { isChangeRequired, origin: await originOfCall(tx, call, user.id) })];
}

/** Verifies the address, or makes the code that does, and invites the user. */
async function settleEmail(
  setup: Setup,
  { tx, call, afterCommit }: CommandTransaction,
  { user, person }: { readonly user: HumanUser; readonly person: NewPerson },
): Promise<{ readonly events: readonly NewEvent[]; readonly code: Secret | undefined }> {
  const { context, mailer } = setup;
  const { emailVerification, invite } = person;
  const { email } = user;
  let code: Secret | undefined;
  if (emailVerification === "return-code") {
    code = newVerificationCode("email", context.random);
    const nowMs = context.clock.nowMs();
    await putNewCode(tx, "email", { ...context, userId: user.id, address: email, code, nowMs });
  }
  if (emailVerification === "send-code") {
    const mail = await mailEmailCode(setup, tx, { user, email });
    afterCommit(() => mailer.start(call.requestId, mail));
  }
  const verified = emailVerification === "is-verified" ? [verifyEmail(user)] : [];
  if (invite === undefined) return { events: verified, code };
  const creator: Editor = (await findLoginOriginOf(tx, call, user.id))?.creator ?? call.caller.userId;
  const { events, mail } = await inviteUser(setup, tx, { call, user, creator, invite });
  afterCommit(() => mailer.start(call.requestId, mail));
  return { events: [...verified, ...events], code };
}

import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, type Details } from "../../../kernel/base/details.ts";
import type { InstanceId, SessionId } from "../../../kernel/base/ids.ts";
import { fieldInvalid, Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { read, requireTarget, write, type UserContext } from "../../context.ts";
import { recordRemovals, type Removal } from "../../removal.ts";
import { findActingProblem } from "../../held-roles/outranking.ts";
import { endLogins } from "../../logins/authorizations/end-logins.ts";
import { readPolicyOfUser } from "../../policies/repository.ts";
import { findOrganization } from "../../organizations/repository.ts";
import { endResetCode, holderOf } from "../codes/reset-code-repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { findUserById, getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman, userNotFound } from "../user/user.ts";
import { type HashImportOptions, importHash, measureHash } from "./imported-hash.ts";
import {
  loginPaused,
  type PasswordOrigin,
  passwordInvalid,
  passwordNotSet,
  removePassword,
} from "./password.ts";
import {
  type BreachedPasswords,
  checkNewPassword,
  originOfCall,
  originOfOwnPassword,
  requirePasswordResetCode,
  setOwnPassword,
  usePasswordResetCode,
} from "./password-change.ts";
import { comparePassword, type SettlePassword } from "./password-check.ts";
import { findPasswordLineage, removePasswordHash } from "./repository.ts";
import { requestReset, type ResetMedium, type ResetOptions } from "./reset-commands.ts";

/** What users send as proof to set their own password. */
export type PasswordProof =
  | { readonly kind: "current-password"; readonly password: Secret }
  | { readonly kind: "code"; readonly code: Secret };

/** A password to set. */
export interface NewPassword {
  readonly userId: string;
  readonly password: Secret;
  readonly isChangeRequired: boolean;
  /** Users prove something, others nothing. */
  readonly proof: PasswordProof | undefined;
}

/** The use cases of passwords. */
export interface PasswordCommands {
  /**
   * Sets a password, and ends the sessions of the user but the one of the call. Raises NOT_FOUND, WRONG_KIND, FIELD_INVALID,
   * PASSWORD_TOO_WEAK, OVERLOADED; for users themselves also REAUTHENTICATION_REQUIRED, PASSWORD_INVALID, PASSWORD_NOT_SET,
   * LOGIN_PAUSED and what is raised for codes.
   */
  set(call: Call, input: NewPassword): Promise<Details>;
  /**
   * Sets a password whose hash was made elsewhere. Raises NOT_FOUND, WRONG_KIND, FIELD_INVALID (also for a hash that takes too much time
   * or memory), PERMISSION_DENIED, OVERLOADED.
   */
  setHash(
    call: Call,
    input: { readonly userId: string; readonly encodedHash: Secret; readonly isChangeRequired: boolean },
  ): Promise<Details>;
  /** Does what an item of a batch that sets the hash cannot wait for. Raises OVERLOADED. */
  prepareHash(call: Call, encodedHash: Secret): Promise<void>;
  /**
   * Removes the password, and ends the sessions of the user but the one of the call; that one too if others have set the password.
   * Raises NOT_FOUND, WRONG_KIND, REAUTHENTICATION_REQUIRED. Harmless to repeat.
   */
  remove(call: Call, userId: string): Promise<Removal>;
  /**
   * Makes a code that sets a password, in place of any former one. Does not wait for its mail to be delivered. Raises
   * SELF_VERIFICATION_FORBIDDEN, NOT_FOUND, WRONG_KIND, FIELD_INVALID, CODE_NOT_PENDING, MAIL_NOT_CONFIGURED,
   * ISSUER_NOT_CONFIGURED, RATE_LIMITED.
   */
  requestReset(
    call: Call,
    input: { readonly userId: string; readonly medium: ResetMedium },
  ): Promise<{ readonly details: Details; readonly code: Secret | undefined }>;
}

/** The ports of the commands besides the context. */
export interface PasswordOptions extends ResetOptions, HashImportOptions {
  readonly instanceId: InstanceId;
  /** Undefined: there is no list. */
  readonly breached: BreachedPasswords | undefined;
}

interface Setup extends PasswordOptions {
  readonly context: UserContext;
}

/** Creates the commands of passwords. */
export function createPasswordCommands(context: UserContext, options: PasswordOptions): PasswordCommands {
  const setup: Setup = { ...options, context };
  return {
    set: (call, input) => set(setup, call, input),
    setHash: (call, input) => setHash(setup, call, input),
    prepareHash: (call, encoded) => measureHash(setup, call, encoded),
    remove: (call, userId) =>
      write(context, call, async (command) => {
        const { tx, append } = command;
        const user = await getHuman(tx, call, userId);
        await requireRecent(setup, tx, call, user);
        await context.waysIn?.keep(command, { of: "user", userId: user.id });
        const ended = await endResetCode(tx, holderOf(user), "password_changed");
        const lineage = await findPasswordLineage(tx, user.id);
        if (lineage === undefined)
          return {
            details: ended.length === 0 ? user.details : changedDetails(user.details, await append(ended)),
            removed: [],
          };
        // Here and not in the applier: a replay would destroy the hash of a password that was set later.
        await removePasswordHash(tx, user.id);
        // If others have chosen it they may be logged in, and nobody could tell that any more once the user gains roles.
        const exceptSessionId = lineage.creator === user.id ? ownSessionOf(call, user) : undefined;
        const { date, removed } = await recordRemovals(context, command, {
          removals: [removePassword(user)],
          end: () => endLogins(tx, user.id, { exceptSessionId }),
        });
        return { details: changedDetails(user.details, date), removed };
      }),
    requestReset: (call, input) => requestReset(setup, call, input),
  };
}

async function set(setup: Setup, call: Call, input: NewPassword): Promise<Details> {
  const { context, hasher } = setup;
  requireFittingProof(call, input);
  const settle = await prepare(setup, call, input);
  const encoded = call.isDryRun === true ? "" : await hasher.hash(input.password.reveal());
  return await write(context, call, async ({ tx, append }) => {
    const user = await getHuman(tx, call, input.userId);
    await requireRecent(setup, tx, call, user);
    const origin = await prove(setup, tx, { call, user, input, settle });
    if (origin instanceof Problem) return origin; // not thrown: what is counted stays, and a repeat of the call tries nothing
    const { isChangeRequired } = input;
    const exceptSessionId = ownSessionOf(call, user);
    const events = await setOwnPassword(tx, user, { encoded, isChangeRequired, origin, exceptSessionId });
    return changedDetails(user.details, await append(events));
  });
}

/** Does what takes long, before the write. Returns the end of the try of the current password; undefined if none was made. */
async function prepare(setup: Setup, call: Call, input: NewPassword): Promise<SettlePassword | undefined> {
  const { context, breached } = setup;
  const { proof } = input;
  const seen = await read(context, call, async (tx) => {
    const user = await getHuman(tx, call, input.userId);
    await requireRecent(setup, tx, call, user);
    const organizationId = user.details.resourceOwner;
    if (proof?.kind === "current-password" && !user.hasPassword) throw passwordNotSet();
    if (proof?.kind === "code")
      await requirePasswordResetCode(tx, { userId: user.id, nowMs: context.clock.nowMs() });
    const organization = await findOrganization(tx, organizationId);
    return {
      user,
      policy: await readPolicyOfUser(tx, { userId: user.id, organizationId }),
      place: { organizationName: organization?.name, issuer: setup.issuer() },
    };
  });
  const problem = await checkNewPassword({ ...seen, password: input.password.reveal(), breached });
  if (problem !== undefined) throw problem;
  if (proof?.kind !== "current-password" || call.isDryRun === true) return undefined;
  const tried = await comparePassword(
    { ...context, hasher: setup.hasher },
    {
      login: { name: seen.user.username, kinds: ["USERNAME"], organizationId: undefined },
      password: proof.password.reveal(),
      purpose: "change",
      remoteAddress: call.remoteAddress,
      requestId: call.requestId,
    },
  );
  if (tried.kind === "paused") throw loginPaused(tried.retryAfterMs);
  // The username may have become another user's since: then the password proves nothing of this one.
  if (tried.kind === "right" && tried.userId !== seen.user.id) return async () => false;
  return tried.settle;
}

/** Checks the proof in the write that sets the password, and returns the user who answers for it. */
async function prove(
  { context }: Setup,
  tx: Parameters<typeof usePasswordResetCode>[0],
  asked: {
    readonly call: Call;
    readonly user: HumanUser;
    readonly input: NewPassword;
    readonly settle: SettlePassword | undefined;
  },
): Promise<PasswordOrigin | Problem> {
  const { call, user, input, settle } = asked;
  const isDryRun = call.isDryRun === true;
  switch (input.proof?.kind) {
    case undefined:
      return await originOfCall(tx, call, user.id);
    case "current-password":
      if (!isDryRun && !(await settle?.(tx))) return passwordInvalid();
      return await originOfOwnPassword(tx, user, { kind: "current-password" });
    case "code":
      return await usePasswordResetCode(tx, {
        userId: user.id,
        code: isDryRun ? undefined : input.proof.code,
        keyring: context.keyring,
        nowMs: context.clock.nowMs(),
      });
  }
}

async function setHash(
  setup: Setup,
  call: Call,
  input: { readonly userId: string; readonly encodedHash: Secret; readonly isChangeRequired: boolean },
): Promise<Details> {
  const encoded = await importHash(setup, call, { field: "encoded_hash", given: input.encodedHash });
  return await write(setup.context, call, async ({ tx, call: now, append }) => {
    const found = await findUserById(tx, input.userId);
    if (found === undefined) throw userNotFound(input.userId);
    const user = requireHuman(requireTarget(call, found));
    const { instanceId } = setup;
    const problem = await findActingProblem(tx, now.caller.held, { userId: user.id, instanceId });
    if (problem !== undefined) throw problem;
    await requireRecent(setup, tx, call, user);
    const origin = await originOfCall(tx, call, user.id);
    const { isChangeRequired } = input;
    const exceptSessionId = ownSessionOf(call, user);
    const events = await setOwnPassword(tx, user, { encoded, isChangeRequired, origin, exceptSessionId });
    return changedDetails(user.details, await append(events));
  });
}

/** Finds the session in which users set their own password. */
function ownSessionOf({ caller }: Call, user: HumanUser): SessionId | undefined {
  return caller.userId === user.id ? caller.login?.sessionId : undefined;
}

async function getHuman(tx: ReadTransaction, call: Call, userId: string): Promise<HumanUser> {
  return requireHuman(requireTarget(call, await getUser(tx, call.access.organizationId, userId)));
}

async function requireRecent(
  { context }: Setup,
  tx: ReadTransaction,
  call: Call,
  user: HumanUser,
): Promise<void> {
  if (user.id !== call.caller.userId) return;
  await requireRecentLogin(tx, call, context);
}

/** Raises FIELD_INVALID for users that send no proof, and for other callers that send one. */
function requireFittingProof({ caller }: Call, { userId, proof }: NewPassword): void {
  const isSelf = userId === caller.userId;
  if (isSelf && proof === undefined)
    throw fieldInvalid("current_password", "is required, or verification_code, for a password of one's own");
  if (!isSelf && proof !== undefined)
    throw fieldInvalid(
      proof.kind === "code" ? "verification_code" : "current_password",
      "must be absent for the password of another user",
    );
}

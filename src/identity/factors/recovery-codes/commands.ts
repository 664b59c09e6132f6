import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { RecoveryCodesId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { getUser } from "../../people/user/repository.ts";
import { hasReadyFactor } from "../second-factors/repository.ts";
import { type HumanUser, requireHuman } from "../../people/user/user.ts";
import {
  addRecoveryCodes,
  newRecoveryCodes,
  recoveryCodesNotFound,
  removeRecoveryCodes,
  secondFactorMissing,
} from "./recovery-code.ts";
import { findRecoveryCodes, putRecoveryCodeHashes } from "./repository.ts";

/** The use cases of recovery codes. */
export interface RecoveryCodeCommands {
  /** Makes codes; the former ones end. Raises NOT_FOUND, WRONG_KIND, REAUTHENTICATION_REQUIRED, SECOND_FACTOR_MISSING. */
  generate(
    call: Call,
    userId: string,
  ): Promise<{ readonly details: Details; readonly codes: readonly Secret[] }>;
  /** Ends all codes that are left. Raises NOT_FOUND, REAUTHENTICATION_REQUIRED. */
  remove(call: Call, userId: string): Promise<Removal>;
}

/** Creates the commands of recovery codes. */
export function createRecoveryCodeCommands(context: UserContext): RecoveryCodeCommands {
  return {
    generate: (call, userId) =>
      write(context, call, async ({ tx, append }) => {
        const user = await getUserOf(context, tx, { call, userId });
        if (!(await hasReadyFactor(tx, user.id))) throw secondFactorMissing();
        const id = tx.nextId<RecoveryCodesId>();
        const { codes, stored } = newRecoveryCodes(context.random);
        await putRecoveryCodeHashes(tx, context.personalData, { codes: { userId: user.id, id }, stored });
        const loginOrigin = await findLoginOriginOf(tx, call, user.id);
        const made = { madeWithTokenId: call.caller.tokenId, loginOrigin };
        const date = await append([addRecoveryCodes(user, id, made)]);
        return { details: createdDetails(date, user.details.resourceOwner), codes };
      }),
    remove: (call, userId) =>
      remove(context, call, {
        async load({ tx }) {
          const user = await getUserOf(context, tx, { call, userId });
          const codes = await findRecoveryCodes(tx, user.id);
          if (codes === undefined) throw recoveryCodesNotFound(userId);
          return codes;
        },
        decide: (codes) => [removeRecoveryCodes(codes)],
      }),
  };
}

/** Users change their own codes only with the access token of a recent login. */
async function getUserOf(
  context: UserContext,
  tx: ReadTransaction,
  { call, userId }: { readonly call: Call; readonly userId: string },
): Promise<HumanUser> {
  const user = requireHuman(await getUser(tx, call.access.organizationId, userId));
  if (user.id === call.caller.userId) await requireRecentLogin(tx, call, context);
  return user;
}

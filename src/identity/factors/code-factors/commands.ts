import type { Call } from "../../../kernel/base/call.ts";
import type { UserContext } from "../../context.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { getUser } from "../../people/user/repository.ts";
import { requireHuman } from "../../people/user/user.ts";
import { remove, type Removal } from "../../removal.ts";
import { codeFactorNotFound, removeCodeFactor } from "./code-factor.ts";
import { findCodeFactorById } from "./repository.ts";

/** The use cases of second factors that are codes. Only their user adds them, on a page: see `CodeLogins`. */
export interface CodeFactorCommands {
  /** Removes the factor. Raises NOT_FOUND, WRONG_KIND, REAUTHENTICATION_REQUIRED. */
  remove(call: Call, of: { readonly userId: string; readonly codeFactorId: string }): Promise<Removal>;
}

/** Creates the commands of second factors that are codes. */
export function createCodeFactorCommands(context: UserContext): CodeFactorCommands {
  return {
    remove: (call, { userId, codeFactorId }) =>
      remove(context, call, {
        async load({ tx }) {
          const user = requireHuman(await getUser(tx, call.access.organizationId, userId));
          if (user.id === call.caller.userId) await requireRecentLogin(tx, call, context);
          const factor = await findCodeFactorById(tx, user.id, codeFactorId);
          if (factor === undefined) throw codeFactorNotFound(codeFactorId);
          return factor;
        },
        decide: (factor) => [removeCodeFactor(factor)],
      }),
  };
}

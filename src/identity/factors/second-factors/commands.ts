import type { UserContext } from "../../context.ts";
import type { Removal } from "../../removal.ts";
import type { Call } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { SecondFactorId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import { type ListedPage, readList } from "../../list.ts";
import { createRegistrationCommands, type RegistrationCommands } from "../authenticators/commands.ts";
import type { RelyingParties } from "../authenticators/relying-party.ts";
import { getUser } from "../../people/user/repository.ts";
import { secondFactorList } from "./repository.ts";
import { type SecondFactor, u2fKind } from "./u2f.ts";

/** The use cases of u2f tokens. */
export interface U2fCommands extends Pick<RegistrationCommands<SecondFactorId>, "register"> {
  /** As `RegistrationCommands.verify`. */
  verify(
    call: Call,
    input: {
      readonly userId: string;
      readonly u2fId: string;
      readonly credential: unknown;
      readonly name: string;
    },
  ): Promise<Details>;
  /** Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<SecondFactor>>;
  /** Removes a factor, or a registration that was started. Raises NOT_FOUND. */
  remove(call: Call, input: { readonly userId: string; readonly u2fId: string }): Promise<Removal>;
}

/** Creates the commands of u2f tokens. Without relying parties nothing can be registered. */
export function createU2fCommands(context: UserContext, parties: RelyingParties): U2fCommands {
  const { register, verify, remove } = createRegistrationCommands(context, parties, u2fKind);
  return {
    register,
    verify: (call, { u2fId, ...input }) => verify(call, { ...input, id: u2fId }),
    list: (call, userId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getUser(tx, call.access.organizationId, userId);
        return await readList(context, tx, {
          list: secondFactorList,
          call,
          asked: { of: id, filter: {} },
          page,
        });
      }),
    remove: (call, { userId, u2fId }) => remove(call, { userId, id: u2fId }),
  };
}

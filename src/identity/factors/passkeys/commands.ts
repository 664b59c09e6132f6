import type { UserContext } from "../../context.ts";
import type { Call } from "../../../kernel/base/call.ts";
import type { PasskeyId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import { type ListedPage, readList } from "../../list.ts";
import { createRegistrationCommands, type RegistrationCommands } from "../authenticators/commands.ts";
import type { RelyingParties } from "../authenticators/relying-party.ts";
import { getUser } from "../../people/user/repository.ts";
import { type Passkey, passkeyKind } from "./passkey.ts";
import { passkeyList } from "./repository.ts";

/** The use cases of passkeys. */
export interface PasskeyCommands extends RegistrationCommands<PasskeyId> {
  /** Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<Passkey>>;
}

/** Creates the commands of passkeys. Without relying parties nothing can be registered. */
export function createPasskeyCommands(context: UserContext, parties: RelyingParties): PasskeyCommands {
  return {
    ...createRegistrationCommands(context, parties, passkeyKind),
    list: (call, userId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getUser(tx, call.access.organizationId, userId);
        return await readList(context, tx, { list: passkeyList, call, asked: { of: id, filter: {} }, page });
      }),
  };
}

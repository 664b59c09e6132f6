import type { Call } from "../../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { putSecret } from "../../../kernel/events/secret-store.ts";
import { write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { limitsOf } from "../tokens/commands.ts";
import { getUser } from "../../people/user/repository.ts";
import { requireService } from "../../people/user/user.ts";
import { findSecretOfUser } from "./repository.ts";
import { removeSecretOfUser, secretNotFound, setSecret } from "./secret.ts";

/** The use cases of the client secrets of service users. */
export interface SecretCommands {
  /** Makes a secret; the former one ends. The client id is the id of the user. Raises NOT_FOUND, WRONG_KIND. */
  generate(
    call: Call,
    userId: string,
  ): Promise<{ readonly clientId: UserId; readonly secret: Secret; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  remove(call: Call, userId: string): Promise<Removal>;
}

/** Creates the commands of secrets. */
export function createSecretCommands(context: UserContext): SecretCommands {
  return {
    generate: (call, userId) =>
      write(context, call, async ({ tx, append }) => {
        const user = requireService(await getUser(tx, call.access.organizationId, userId));
        const organizationId = user.details.resourceOwner;
        const limits = await limitsOf(tx, call, {
          user,
          expirationMs: undefined,
          context,
        });
        const id = tx.nextId<TokenId>();
        const made = setSecret({ id, userId: user.id, organizationId, random: context.random, ...limits });
        const date = await append([made.event]);
        await putSecret(tx, made.hashId, { keyId: "", value: made.hash });
        return { clientId: user.id, secret: made.secret, details: createdDetails(date, organizationId) };
      }),
    remove: (call, userId) =>
      remove(context, call, {
        async load({ tx }) {
          const user = await getUser(tx, call.access.organizationId, userId);
          const secret = await findSecretOfUser(tx, user.id);
          if (secret === undefined) throw secretNotFound(userId);
          return { ...secret, userId: user.id };
        },
        decide: (secret) => [removeSecretOfUser(secret)],
      }),
  };
}

import type { Call } from "../../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { TokenId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import { requireBelowLimit } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { type ClientKey, maxKeys, toClientKeyPair } from "../../client-keys/client-key.ts";
import { write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { type ListedPage, readList } from "../../list.ts";
import { limitsOf } from "../tokens/commands.ts";
import { requireFuture } from "../tokens/token.ts";
import { getUser } from "../../people/user/repository.ts";
import { requireService } from "../../people/user/user.ts";
import { addServiceUserKey, removeServiceUserKey, toUserKeyFile } from "./key.ts";
import { countKeys, getKeyOfUser, keyList } from "./repository.ts";

/** The use cases of the keys of service users. */
export interface KeyCommands {
  /**
   * Adds a key, and makes it if there is none in the input; then `file` holds the private half. Raises FIELD_INVALID, KEY_INVALID,
   * NOT_FOUND, WRONG_KIND, LIMIT_REACHED.
   */
  add(
    call: Call,
    input: {
      readonly userId: string;
      readonly expirationMs: number | undefined;
      /** Empty = none. */
      readonly publicKey: Uint8Array;
    },
  ): Promise<{ readonly id: TokenId; readonly details: Details; readonly file: Secret | undefined }>;
  /** Those that have expired too. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<ClientKey>>;
  /** Raises NOT_FOUND. */
  get(call: Call, key: KeyName): Promise<ClientKey>;
  /** Raises NOT_FOUND. */
  remove(call: Call, key: KeyName): Promise<Removal>;
}

interface KeyName {
  readonly userId: string;
  readonly keyId: string;
}

/** Creates the commands of keys. */
export function createKeyCommands(context: UserContext): KeyCommands {
  const { database, clock } = context;
  return {
    async add(call, { userId, expirationMs, publicKey: given }) {
      requireFuture(expirationMs, clock.nowMs());
      const { publicKey, privateKey } = await toClientKeyPair(given);
      return await write(context, call, async ({ tx, append }) => {
        const user = requireService(await getUser(tx, call.access.organizationId, userId));
        const count = await countKeys(tx, user.id, maxKeys);
        requireBelowLimit(count, { type: "key", max: maxKeys });
        const id = tx.nextId<TokenId>();
        const organizationId = user.details.resourceOwner;
        const limits = await limitsOf(tx, call, { user, expirationMs, context });
        const date = await append([
          addServiceUserKey({ id, userId: user.id, organizationId, publicKey, ...limits }),
        ]);
        const file = privateKey && toUserKeyFile({ id, userId: user.id, privateKey });
        return { id, details: createdDetails(date, organizationId), file };
      });
    },
    list: (call, userId, page) =>
      database.read(async (tx) => {
        const user = await getUser(tx, call.access.organizationId, userId);
        return await readList(context, tx, { list: keyList, call, asked: { userId: user.id }, page });
      }),
    get: (call, { userId, keyId }) =>
      database.read(async (tx) => {
        const user = await getUser(tx, call.access.organizationId, userId);
        return await getKeyOfUser(tx, user.id, keyId);
      }),
    remove: (call, { userId, keyId }) =>
      remove(context, call, {
        async load({ tx }) {
          const user = await getUser(tx, call.access.organizationId, userId);
          return { ...(await getKeyOfUser(tx, user.id, keyId)), userId: user.id };
        },
        decide: (key) => [removeServiceUserKey(key)],
      }),
  };
}

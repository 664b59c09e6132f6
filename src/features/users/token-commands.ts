import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { TokenId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import type { Secret } from "../../base/secret.ts";
import { putSecret } from "../../events/secret-store.ts";
import { type FeatureContext, processedSequence, target, write } from "../context.ts";
import { getUser } from "./repository.ts";
import {
  addToken,
  callerTokenRemoved,
  limitExpiration,
  maxTokens,
  removeToken,
  requireFuture,
  requireTokenRoom,
  tokenNotFound,
} from "./token.ts";
import {
  countAllTokens,
  countTokens,
  findToken,
  findTokenOfUser,
  type ListedToken,
  listTokens,
} from "./token-repository.ts";
import type { User } from "./user.ts";

export interface TokenCommands {
  /**
   * Makes a token, which goes when the token of the call goes; one that a user makes for himself lives no longer than that
   * either. Raises FIELD_INVALID, NOT_FOUND, LIMIT_REACHED.
   */
  add(
    call: Call,
    input: { readonly userId: string; readonly expirationMs: number | undefined },
  ): Promise<{ readonly id: TokenId; readonly details: Details; readonly token: Secret }>;
  /** Those that have expired too. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    userId: string,
    page: PageRequest,
  ): Promise<{ readonly page: Page<ListedToken>; readonly sequence: number }>;
  /** Removes a token of the user, and those that were made with it, of whomever. Raises NOT_FOUND. */
  remove(call: Call, input: { readonly userId: string; readonly tokenId: string }): Promise<Details>;
}

export function createTokenCommands(context: FeatureContext): TokenCommands {
  return {
    async add(call, input) {
      requireFuture(input.expirationMs, context.clock.nowMs());
      return await write(context, call, async ({ tx, append }) => {
        const user = await getUser(tx, call.access.organizationId, input.userId);
        const nowMs = context.clock.nowMs();
        requireTokenRoom(await countTokens(tx, user.id, { nowMs, limit: maxTokens }));
        const id = context.ids.next<TokenId>();
        const made = addToken({
          id,
          userId: user.id,
          organizationId: user.details.resourceOwner,
          random: context.random,
          ...(await limitsOf(tx, call, { user, expirationMs: input.expirationMs })),
        });
        await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
        const details = createdDetails(await append([made.event]), user.details.resourceOwner);
        return { id, details, token: made.token };
      });
    },
    list: (call, userId, page) => list(context, { call, userId, page }),
    remove: (call, { userId, tokenId }) =>
      write(context, call, async ({ tx, append }) => {
        const user = await getUser(tx, call.access.organizationId, userId);
        const token = await findTokenOfUser(tx, user.id, tokenId);
        if (token === undefined) throw tokenNotFound(tokenId);
        target(call, token);
        const { resourceOwner } = token.details;
        const event = removeToken({ tokenId: token.id, userId: user.id, organizationId: resourceOwner });
        return changedDetails(token.details, await append([event]));
      }),
  };
}

function list(
  context: FeatureContext,
  input: { readonly call: Call; readonly userId: string; readonly page: PageRequest },
): ReturnType<TokenCommands["list"]> {
  const { organizationId } = input.call.access;
  return context.database.read(async (tx) => {
    const user = await getUser(tx, organizationId, input.userId);
    return {
      sequence: await processedSequence(tx),
      page: await readPage(context.keyring, input.page, {
        key: ["ListPersonalAccessTokens", organizationId, user.id],
        read: (query) => listTokens(tx, user.id, query),
        count: (limit) => countAllTokens(tx, user.id, limit),
      }),
    };
  });
}

async function limitsOf(
  tx: ReadTransaction,
  call: Call,
  asked: { readonly user: User; readonly expirationMs: number | undefined },
) {
  // Judged again here: a token that was removed while the call was on its way must leave nothing behind.
  const own = await findToken(tx, call.caller.tokenId);
  if (call.caller.userId !== asked.user.id) {
    return { expirationMs: asked.expirationMs, madeWithTokenId: own?.tokenId };
  }
  if (own === undefined) throw callerTokenRemoved();
  return {
    expirationMs: limitExpiration(asked.expirationMs, own.expirationMs),
    madeWithTokenId: own.tokenId,
  };
}

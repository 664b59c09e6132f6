import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { MembershipId, TokenId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import { holdsAt } from "../../../kernel/base/permission.ts";
import { requireBelowLimit } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { putSecret } from "../../../kernel/events/secret-store.ts";
import { write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { type ListedPage, readList } from "../../list.ts";
import { countLeftOut, listLeftOut } from "../../held-roles/carried-roles-repository.ts";
import { getUser } from "../../people/user/repository.ts";
import {
  addToken,
  callerTokenRemoved,
  limitExpiration,
  maxTokens,
  removeToken,
  requireFuture,
} from "./token.ts";
import { countTokens, findToken, getTokenOfUser, type ListedToken, tokenList } from "./repository.ts";
import type { LoginOrigin } from "../../logins/login-origins/login-origin.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import type { User } from "../../people/user/user.ts";

/** The use cases of personal access tokens. */
export interface TokenCommands {
  /**
   * Makes a token. One that users make for themselves expires no later than the token of the call, goes with it, and carries
   * no more. Raises FIELD_INVALID, NOT_FOUND, LIMIT_REACHED.
   */
  add(
    call: Call,
    input: { readonly userId: string; readonly expirationMs: number | undefined },
  ): Promise<{ readonly id: TokenId; readonly details: Details; readonly token: Secret }>;
  /** Those that have expired too. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<TokenWithLimits>>;
  /** Removes a token of the user, and those that the user made with it for themselves. Raises NOT_FOUND. */
  remove(call: Call, input: { readonly userId: string; readonly tokenId: string }): Promise<Removal>;
}

/** A token, and the roles that it does not carry. */
export interface TokenWithLimits extends ListedToken {
  readonly isLimited: boolean;
  /** The memberships of which roles are left out, oldest first: those that the caller may read. */
  readonly leftOutMembershipIds: readonly MembershipId[];
}

/** Creates the commands of personal access tokens. */
export function createTokenCommands(context: UserContext): TokenCommands {
  return {
    async add(call, input) {
      requireFuture(input.expirationMs, context.clock.nowMs());
      return await write(context, call, async ({ tx, append }) => {
        const user = await getUser(tx, call.access.organizationId, input.userId);
        const nowMs = context.clock.nowMs();
        const count = await countTokens(tx, user.id, { nowMs, limit: maxTokens });
        requireBelowLimit(count, { type: "personal_access_token", max: maxTokens });
        const id = tx.nextId<TokenId>();
        const made = addToken({
          id,
          userId: user.id,
          organizationId: user.details.resourceOwner,
          random: context.random,
          ...(await limitsOf(tx, call, { user, expirationMs: input.expirationMs, context })),
        });
        await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
        const details = createdDetails(await append([made.event]), user.details.resourceOwner);
        return { id, details, token: made.token };
      });
    },
    list: (call, userId, page) => list(context, { call, userId, page }),
    remove: (call, { userId, tokenId }) =>
      remove(context, call, {
        async load({ tx }) {
          const user = await getUser(tx, call.access.organizationId, userId);
          return { ...(await getTokenOfUser(tx, user.id, tokenId)), userId: user.id };
        },
        decide: ({ id, userId: of, details }) => [
          removeToken({ tokenId: id, userId: of, organizationId: details.resourceOwner }),
        ],
      }),
  };
}

function list(
  context: UserContext,
  input: { readonly call: Call; readonly userId: string; readonly page: PageRequest },
): Promise<ListedPage<TokenWithLimits>> {
  const { call } = input;
  return context.database.read(async (tx) => {
    const user = await getUser(tx, call.access.organizationId, input.userId);
    const { page, sequence } = await readList(context, tx, {
      list: tokenList,
      call,
      asked: { userId: user.id },
      page: input.page,
      fit: (tokens) => countFitting(tx, tokens),
    });
    return { sequence, page: { ...page, items: await withLimits(tx, call, page.items) } };
  });
}

/** A page ends behind so many left-out memberships: a thousand tokens may each have a thousand of them. */
const maxLeftOut = 10_000;

async function countFitting(tx: ReadTransaction, tokens: readonly ListedToken[]): Promise<number> {
  let total = 0;
  for (const [index, { id, wasLimited }] of tokens.entries()) {
    if (wasLimited) total += await countLeftOut(tx, id);
    if (total > maxLeftOut) return Math.max(index, 1);
  }
  return tokens.length;
}

async function withLimits(
  tx: ReadTransaction,
  { caller }: Call,
  tokens: readonly ListedToken[],
): Promise<readonly TokenWithLimits[]> {
  const leftOut = await listLeftOut(
    tx,
    tokens.flatMap(({ id, wasLimited }) => (wasLimited ? [id] : [])),
  );
  const byToken = Map.groupBy(leftOut, ({ tokenId }) => tokenId);
  return tokens.map((token) => {
    const own = byToken.get(token.id) ?? [];
    const seen = own.filter(({ scope }) => holdsAt(caller.held, "membership.read", scope));
    return {
      ...token,
      isLimited: own.length > 0,
      leftOutMembershipIds: seen.map(({ membershipId }) => membershipId),
    };
  });
}

/**
 * Returns when a token, key or secret that the call makes expires, and the token that it is made with, if it is made with one. Raises
 * FIELD_INVALID, TOKEN_INVALID when the token of the call is gone, and what `requireRecentLogin` raises for users who would make
 * a lasting credential for themselves with an access token.
 */
export async function limitsOf(
  tx: ReadTransaction,
  call: Call,
  asked: { readonly user: User; readonly expirationMs: number | undefined; readonly context: UserContext },
): Promise<Limits> {
  const { caller } = call;
  const isSelf = caller.userId === asked.user.id;
  if (isSelf) await requireRecentLogin(tx, call, { ...asked.context, mayUseToken: true });
  // A token that is made after a login stays when the login ends. Its maker is checked, with all roles that the maker holds then.
  if (caller.tokenId === undefined) {
    const loginOrigin = await findLoginOriginOf(tx, call, asked.user.id);
    return { expirationMs: asked.expirationMs, madeWithTokenId: undefined, loginOrigin };
  }
  // Checked again here: a token that was removed while the call was on its way must leave nothing behind.
  const own = await findToken(tx, caller.tokenId);
  if (own === undefined) throw callerTokenRemoved();
  return {
    expirationMs: isSelf ? limitExpiration(asked.expirationMs, own.expirationMs) : asked.expirationMs,
    madeWithTokenId: own.tokenId,
    loginOrigin: undefined,
  };
}

interface Limits {
  readonly expirationMs: number | undefined;
  readonly madeWithTokenId: TokenId | undefined;
  readonly loginOrigin: LoginOrigin | undefined;
}

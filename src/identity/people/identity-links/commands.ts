import type { Call } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { IdentityLinkId, TokenId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import { requireBelowLimit } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import {
  type IdentityProvider,
  identityProviderNotFound,
  requireActiveProvider,
} from "../../providers/identity-provider.ts";
import { getIdentityProvider } from "../../providers/repository.ts";
import { type ListedPage, readList } from "../../list.ts";
import { endLoginsByOthers } from "../../logins/login-origins/commands.ts";
import type { LoginOrigin } from "../../logins/login-origins/login-origin.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";
import {
  addIdentityLink,
  identityLinkTaken,
  isProviderOfUser,
  type LinkedIdentity,
  maxIdentityLinks,
  ownLinkForbidden,
  removeIdentityLink,
} from "./identity-link.ts";
import {
  countIdentityLinks,
  findIdentityLink,
  getIdentityLink,
  identityLinkList,
  listLinkLineages,
  type NamedIdentityLink,
} from "./repository.ts";

/** Names a link of a user. */
export interface AskedLink {
  readonly userId: string;
  readonly providerId: string;
  readonly externalUserId: string;
}

/** The use cases of links of users to identities at identity providers. */
export interface IdentityLinkCommands {
  /** Oldest first. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<NamedIdentityLink>>;
  /**
   * Links an identity of a provider of the user's organization. Raises SELF_VERIFICATION_FORBIDDEN, NOT_FOUND, WRONG_KIND,
   * IDP_NOT_ACTIVE, ALREADY_EXISTS, LIMIT_REACHED.
   */
  add(call: Call, input: AskedLink & { readonly externalUsername: string }): Promise<Details>;
  /**
   * The sessions that were begun with the link alone end with it, and their refresh tokens. If somebody else made it, all sessions of
   * the user end, but the one of a call that was not begun with it. Raises NOT_FOUND; REAUTHENTICATION_REQUIRED for users who have
   * not logged in a moment ago.
   */
  remove(call: Call, asked: AskedLink): Promise<Removal>;
}

/** Creates the commands of links. */
export function createIdentityLinkCommands(context: UserContext): IdentityLinkCommands {
  return {
    list: (call, userId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getUser(tx, call.access.organizationId, userId);
        const asked = { of: id, filter: {} };
        return await readList(context, tx, { list: identityLinkList, call, asked, page });
      }),
    add: async (begun, { userId, providerId, ...identity }) => {
      if (userId === begun.caller.userId) throw ownLinkForbidden();
      return await write(context, begun, async ({ tx, call, append }) => {
        const { organizationId } = call.access;
        const user = requireHuman(await getUser(tx, organizationId, userId));
        const provider = requireActiveProvider(await getIdentityProvider(tx, organizationId, providerId));
        const madeWithTokenId = call.caller.tokenId;
        const loginOrigin = await findLoginOriginOf(tx, call, user.id);
        const events = await linkIdentity(tx, { user, provider, identity, madeWithTokenId, loginOrigin });
        return createdDetails(await append(events), user.details.resourceOwner);
      });
    },
    remove: (begun, asked) =>
      remove(context, begun, {
        async load({ tx, call }) {
          const user = await getUser(tx, call.access.organizationId, asked.userId);
          const link = await getIdentityLink(tx, user.id, asked);
          if (call.caller.userId === user.id) await requireRecentLogin(tx, call, context);
          return link;
        },
        async decide(link, command) {
          await context.waysIn?.keep(command, { of: "user", userId: link.userId });
          return [removeIdentityLink(link)];
        },
        async end({ id, userId }, { tx, call }) {
          const creator = (await listLinkLineages(tx, userId)).find((each) => each.id === id)?.creator;
          return await endLoginsByOthers(tx, call, { userId, method: "IDP", creator });
        },
      }),
  };
}

/**
 * Decides to link an identity, in the write `tx`. A link from before the provider had its issuer gives way: it belongs to another
 * identity, and nobody logs in with it. Raises NOT_FOUND for a provider of another organization; ALREADY_EXISTS, LIMIT_REACHED.
 */
export async function linkIdentity(
  tx: WriteTransaction,
  linked: {
    readonly user: Pick<HumanUser, "id" | "details">;
    readonly provider: IdentityProvider;
    readonly identity: LinkedIdentity;
    readonly madeWithTokenId?: TokenId | undefined;
    readonly loginOrigin?: LoginOrigin | undefined;
    /** Of the new link. Default: one that is made here. */
    readonly id?: IdentityLinkId;
  },
): Promise<readonly NewEvent[]> {
  const { user, provider, identity, id = tx.nextId<IdentityLinkId>() } = linked;
  if (!isProviderOfUser(provider, user)) throw identityProviderNotFound(provider.id);
  const former = await findIdentityLink(tx, provider.id, identity.externalUserId);
  if (former?.issuer === provider.config.issuer) throw identityLinkTaken(identity.externalUserId);
  const count = await countIdentityLinks(tx, user.id, maxIdentityLinks);
  requireBelowLimit(count, { type: "idp_link", max: maxIdentityLinks });
  const added = addIdentityLink(id, linked);
  return former === undefined ? [added] : [removeIdentityLink(former), added];
}

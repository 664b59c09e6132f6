import type { Call } from "../../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import { type OrganizationId, type SessionId, toId, type UserId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import {
  type RefreshFamily,
  revokeAuthorization,
  unconfirmAuthorization,
} from "../../logins/authorizations/authorization.ts";
import { findConfirmedGift } from "../../logins/authorizations/confirmation-repository.ts";
import { getRefreshFamily, refreshFamilyList } from "../../logins/authorizations/family-repository.ts";
import { endAuthorizationsOfUser } from "../../logins/authorizations/repository.ts";
import { type FeatureContext, write } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { type ListedPage, readList } from "../../list.ts";
import { endSessionsOfUser } from "../../logins/sessions/commands.ts";
import { getUser } from "../user/repository.ts";

/** The use cases of the refresh tokens that applications have for a user. */
export interface RefreshTokenCommands {
  /** Those that can still be used. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<RefreshFamily>>;
  /**
   * Removes a refresh token, and everything that came from the same login of the application. What the user has confirmed there is
   * forgotten: the next login asks again. Raises NOT_FOUND.
   */
  remove(call: Call, input: { readonly userId: string; readonly tokenId: string }): Promise<Removal>;
  /**
   * Ends all sessions of the user but one, and all refresh tokens but those of that session. Raises NOT_FOUND. Harmless to repeat.
   */
  terminateAll(
    call: Call,
    of: { readonly userId: string; readonly exceptSessionId: string },
  ): Promise<Details>;
}

/** Creates the commands of refresh tokens. */
export function createRefreshTokenCommands(context: FeatureContext): RefreshTokenCommands {
  const { clock } = context;
  return {
    list: (call, userId, page) =>
      context.database.read(async (tx) => {
        const user = await getUser(tx, call.access.organizationId, userId);
        const asked = { userId: user.id, nowMs: clock.nowMs() };
        return await readList(context, tx, { list: refreshFamilyList, call, asked, page });
      }),
    remove: (begun, { userId, tokenId }) =>
      remove(context, begun, {
        async load({ tx, call }) {
          const user = await getUser(tx, call.access.organizationId, userId);
          return await getRefreshFamily(tx, { userId: user.id, nowMs: clock.nowMs() }, tokenId);
        },
        async decide({ id, details, applicationId }, { tx }) {
          const organizationId = toId<OrganizationId>(details.resourceOwner);
          const about = { id, userId: toId<UserId>(userId), organizationId, applicationId };
          const isConfirmed = (await findConfirmedGift(tx, userId, applicationId)) !== undefined;
          return [
            revokeAuthorization(about, "removed"),
            ...(isConfirmed ? [unconfirmAuthorization(about)] : []),
          ];
        },
      }),
    terminateAll: (begun, { userId, exceptSessionId }) =>
      write(context, begun, async ({ tx, call, append }) => {
        const user = await getUser(tx, call.access.organizationId, userId);
        const exceptId = toId<SessionId>(exceptSessionId); // any text: one that is no session of the user spares none
        const events = await endSessionsOfUser(tx, user.id, { reason: "terminated", exceptId });
        await endAuthorizationsOfUser(tx, user.id, { exceptSessionId: exceptId });
        if (events.length === 0) return user.details;
        return createdDetails(await append(events), user.details.resourceOwner);
      }),
  };
}

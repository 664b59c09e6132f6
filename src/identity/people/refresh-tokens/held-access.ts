import type { Call } from "../../../kernel/base/call.ts";
import {
  type ApplicationId,
  type AuthorizationId,
  type OrganizationId,
  toId,
  type UserId,
} from "../../../kernel/base/ids.ts";
import { notFound } from "../../../kernel/base/problem.ts";
import {
  type HeldAccess,
  endAuthorizationsAt,
  listHeldAccess,
  listRefreshFamiliesOf,
} from "../../logins/authorizations/held-access-repository.ts";
import { revokeAuthorization, unconfirmAuthorization } from "../../logins/authorizations/authorization.ts";
import { findConfirmedGift } from "../../logins/authorizations/confirmation-repository.ts";
import { type FeatureContext, write } from "../../context.ts";
import { getUser } from "../user/repository.ts";

/** The use cases of what applications may do for a user, as the account pages have them. */
export interface HeldAccessCommands {
  /** Lists the applications with lasting access, and those that the user has let have something. Raises NOT_FOUND. */
  list(call: Call, userId: string): Promise<readonly HeldAccess[]>;
  /**
   * Takes everything from an application: its tokens for the user end, and what was confirmed is forgotten, so that the next login
   * asks again. Raises NOT_FOUND, also where there is nothing to take.
   */
  remove(call: Call, input: { readonly userId: string; readonly applicationId: string }): Promise<void>;
}

/** Creates the commands of what applications may do for a user. */
export function createHeldAccessCommands(context: FeatureContext): HeldAccessCommands {
  const ask = (userId: UserId) => ({ userId, nowMs: context.clock.nowMs() });
  return {
    list: (call, userId) =>
      context.database.read(async (tx) => {
        const user = await getUser(tx, call.access.organizationId, userId);
        return await listHeldAccess(tx, ask(user.id));
      }),
    remove: (begun, { userId, applicationId }) =>
      write(context, begun, async ({ tx, call, append }) => {
        const { id, details } = await getUser(tx, call.access.organizationId, userId);
        const organizationId = toId<OrganizationId>(details.resourceOwner);
        const families = await listRefreshFamiliesOf(tx, ask(id), applicationId);
        const isConfirmed = (await findConfirmedGift(tx, id, applicationId)) !== undefined;
        if (families.length === 0 && !isConfirmed) throw notFound("application", applicationId);
        const about = { userId: id, organizationId, applicationId: toId<ApplicationId>(applicationId) };
        await append([
          ...families.map((family) => revokeAuthorization({ ...about, id: family }, "removed")),
          ...(isConfirmed ? [unconfirmAuthorization({ ...about, id: tx.nextId<AuthorizationId>() })] : []),
        ]);
        await endAuthorizationsAt(tx, id, applicationId);
      }),
  };
}

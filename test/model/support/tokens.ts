import { idOf } from "../../support/world.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { removeToken } from "./cascades.ts";
import { toDate, tokenMessage } from "./messages.ts";
import { onUser, type Operations, type Plan, present, refuseIf } from "./plan.ts";
import { type Caller, holdsOn, leftOutOf, organizationOf } from "./permissions.ts";
import type { World } from "./world.ts";

const { method } = UserService;
export const hourMs = 3_600_000;

/** The rpcs of UserService about tokens. */
export const tokenOperations: Operations = {
  addPersonalAccessToken(world, draw) {
    const inHours = draw.pick([undefined, undefined, undefined, 1, 2, 3, -1]);
    const expirationMs = inHours === undefined ? undefined : world.clock.nowMs() + inHours * hourMs;
    return addToken(world, draw.id(world.users), expirationMs);
  },
  listPersonalAccessTokens: (world, draw) => listTokens(world, draw.id(world.users)),
  removePersonalAccessToken(world, draw) {
    const parents = world.tokens.where(
      ({ id }) => !world.base.has(id) && world.tokens.all().some(({ madeWithId }) => madeWithId === id),
    );
    const hasChildren = parents.length > 0 && draw.chance(0.4);
    const tokenId = hasChildren ? draw.pick(parents).id : draw.id(world.tokens);
    const userId = draw.chance(0.9)
      ? (world.tokens.find(tokenId)?.userId ?? draw.id(world.users))
      : draw.id(world.users);
    return {
      method: method.removePersonalAccessToken,
      request: { userId, tokenId },
      judge: (caller) => {
        const asked = {
          userId,
          permission: "user.credential.write",
          isSelfAllowed: true,
          touch: "stops" as const,
        };
        onUser(world, caller, asked);
        const token = present(world.tokens.find(tokenId));
        refuseIf(token.userId !== userId, "NOT_FOUND");
        return { kind: "changed", entity: token, note: () => removeToken(world, token) };
      },
    };
  },
};

export function addToken(world: World, userId: string, expirationMs?: number): Plan {
  return {
    method: method.addPersonalAccessToken,
    request: {
      userId,
      ...(expirationMs === undefined ? {} : { expirationDate: toDate(expirationMs * 1000) }),
    },
    judge: (caller) => {
      const user = onUser(world, caller, {
        userId,
        permission: "user.credential.write",
        isSelfAllowed: true,
        isLimitedAllowed: true,
        touch: "acts",
        isValid: expirationMs === undefined || expirationMs > world.clock.nowMs(),
      });
      const limited = userId === caller.userId ? limit(caller, expirationMs) : expirationMs;
      return {
        kind: "created",
        owner: user.resourceOwner,
        idField: "tokenId",
        random: ["token"],
        note: ({ id, date, answer }) =>
          world.tokens.add({
            id,
            label: world.label("token"),
            resourceOwner: user.resourceOwner,
            created: date,
            sequence: date,
            userId,
            text: idOf(answer, "token"),
            expirationMs: limited,
            creatorId: caller.userId,
            madeWithId: caller.token.id,
            leftOut: new Map(userId === caller.userId ? caller.token.leftOut : []),
          }),
      };
    },
  };
}

export function listTokens(world: World, userId: string): Plan {
  return {
    method: method.listPersonalAccessTokens,
    request: { userId },
    judge: (caller) => {
      const asked = { userId, permission: "user.read", isSelfAllowed: true, isLimitedAllowed: true };
      onUser(world, caller, asked);
      const tokens = world.tokens.where((token) => token.userId === userId);
      const items = tokens.map((token) => {
        const leftOut = leftOutOf(world, token);
        const seen = leftOut.filter(({ scope }) =>
          holdsOn(caller.held, "membership.read", scope, organizationOf(world, scope) ?? ""),
        );
        const leftOutMembershipIds = seen.map(({ id }) => id);
        return Object.assign(tokenMessage(token), { isLimited: leftOut.length > 0, leftOutMembershipIds });
      });
      return { kind: "list", field: "personalAccessTokens", items };
    },
  };
}

/** What a user makes for themselves does not outlive what they made it with. */
function limit({ token }: Caller, expirationMs: number | undefined): number | undefined {
  if (token.expirationMs === undefined) return expirationMs;
  refuseIf(expirationMs !== undefined && expirationMs > token.expirationMs, "FIELD_INVALID");
  return expirationMs ?? token.expirationMs;
}

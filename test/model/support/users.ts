import type { JsonObject } from "@bufbuild/protobuf";
import { isDeepStrictEqual } from "node:util";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { removeUser } from "./cascades.ts";
import type { Draw } from "./draw.ts";
import { userMessage } from "./messages.ts";
import { isLastOwner } from "./organizations.ts";
import { type Caller, heldBy, lacks } from "./permissions.ts";
import {
  type Effect,
  onHeader,
  onUser,
  type Operations,
  type Plan,
  present,
  refuseIf,
  toState,
} from "./plan.ts";
import { isSameName, type User, type World } from "./world.ts";

const { method } = UserService;

/** The rpcs of UserService about users themselves; those about tokens are in `tokens.ts`. */
export const userOperations: Operations = {
  addHumanUser: (world, draw) =>
    addUser(world, draw.header(draw.live(world.organizations)?.id), drawHuman(draw)),
  addServiceUser: (world, draw) =>
    addUser(world, draw.header(draw.live(world.organizations)?.id), drawService(draw)),
  getUser(world, draw) {
    const userId = draw.id(world.users);
    return {
      method: method.getUser,
      request: { userId },
      judge: (caller) => {
        const user = onUser(world, caller, {
          userId,
          permission: "user.read",
          isSelfAllowed: true,
          isLimitedAllowed: true,
        });
        return { kind: "read", answer: { user: userMessage(user) } };
      },
    };
  },
  getMyUser: (world) => ({
    method: method.getMyUser,
    request: {},
    judge: (caller) => ({
      kind: "read",
      answer: { user: userMessage(present(world.users.find(caller.userId))) },
    }),
  }),
  listUsers(world, draw) {
    const filter = {
      username: draw.chance(0.7) ? "" : draw.name("user"),
      email: draw.chance(0.7) ? "" : draw.pick(["ADA@example.com", "eve@example.com"]),
      state: draw.pick(["UNSPECIFIED", "UNSPECIFIED", "ACTIVE", "INACTIVE", "LOCKED"]),
    };
    return listUsers(world, draw.header(draw.live(world.organizations)?.id), filter);
  },
  updateHumanUser(world, draw) {
    // Most users are services, and only calls for people are answered.
    const people = world.users.where(({ kind }) => kind === "human");
    const id = people.length > 0 && draw.chance(0.7) ? draw.pick(people).id : draw.id(world.users);
    return update(world, "human", id, (old) => ({ ...drawHuman(draw), ...kept(draw, old) }));
  },
  updateServiceUser: (world, draw) =>
    update(world, "service", draw.id(world.users), (old) => ({ ...drawService(draw), ...kept(draw, old) })),
  deactivateUser: (world, draw) =>
    change(world, draw.id(world.users), "deactivateUser", (user) => {
      refuseIf(user.state === "ACTIVE" && isLastOwner(world, { user }), "LAST_INSTANCE_OWNER");
      return toState(user, "INACTIVE");
    }),
  reactivateUser: (world, draw) =>
    change(world, draw.id(world.users), "reactivateUser", (user) => {
      refuseIf(user.state === "LOCKED", "STATE_CONFLICT");
      return toState(user, "ACTIVE");
    }),
  lockUser: (world, draw) =>
    change(world, draw.id(world.users), "lockUser", (user) => {
      refuseIf(user.state === "INACTIVE", "STATE_CONFLICT");
      refuseIf(user.state === "ACTIVE" && isLastOwner(world, { user }), "LAST_INSTANCE_OWNER");
      return toState(user, "LOCKED");
    }),
  unlockUser: (world, draw) =>
    change(world, draw.id(world.users), "unlockUser", (user) => {
      refuseIf(user.state === "INACTIVE", "STATE_CONFLICT");
      return toState(user, "ACTIVE");
    }),
  removeUser: (world, draw) =>
    change(world, draw.id(world.users), "removeUser", (user) => {
      refuseIf(user.state === "ACTIVE" && isLastOwner(world, { user }), "LAST_INSTANCE_OWNER");
      return { kind: "changed", entity: user, note: () => removeUser(world, user) };
    }),
};

type Wanted = Pick<User, "kind" | "username" | "profile">;

export function addUser(world: World, header: string | undefined, wanted: Wanted): Plan {
  return {
    method: wanted.kind === "human" ? method.addHumanUser : method.addServiceUser,
    header,
    request: requestOf(wanted),
    judge: (caller) => {
      const { organizationId } = onHeader(world, caller, { header, permission: "user.write" });
      refuseIf(isTaken(world, wanted.username), "ALREADY_EXISTS");
      return {
        kind: "created",
        owner: organizationId,
        idField: "userId",
        ...(wanted.kind === "human" ? { rest: { verificationCode: "" } } : {}),
        note: ({ id, date }) =>
          world.users.add({
            ...wanted,
            id,
            label: world.label("user"),
            resourceOwner: organizationId,
            created: date,
            sequence: date,
            state: "ACTIVE",
          }),
      };
    },
  };
}

export function listUsers(
  world: World,
  header: string | undefined,
  filter = { username: "", email: "", state: "UNSPECIFIED" },
): Plan {
  const { username, email, state } = filter;
  return {
    method: method.listUsers,
    header,
    request: { username, email, state: `USER_STATE_${state}` },
    judge: (caller) => {
      const { organizationId } = onHeader(world, caller, { header, permission: "user.read" });
      const items = world.users.where(
        (user) =>
          user.resourceOwner === organizationId &&
          (username === "" || isSameName(user.username, username)) &&
          (email === "" || user.profile["email"]?.toLowerCase() === email.toLowerCase()) &&
          (state === "UNSPECIFIED" || user.state === state),
      );
      return { kind: "list", field: "users", items: items.map(userMessage) };
    },
  };
}

/** What service users have who say nothing else. */
export const tokenSettings = {
  accessTokenType: "OIDC_TOKEN_TYPE_BEARER",
  signingAlgorithm: "SIGNING_ALGORITHM_RS256",
};

export function serviceUser(username: string): Wanted {
  return { kind: "service", username, profile: { name: "Service", description: "", ...tokenSettings } };
}

function drawHuman(draw: Draw): Wanted {
  const profile = {
    givenName: "Ada",
    familyName: draw.pick(["Lovelace", "Byron"]),
    displayName: draw.pick(["", "Ada L."]),
    preferredLanguage: draw.pick(["", "de-CH"]),
    email: draw.pick(["ada@example.com", "Eve@example.com"]),
  };
  return { kind: "human", username: draw.name("user"), profile };
}

function drawService(draw: Draw): Wanted {
  const profile = {
    name: draw.pick(["One", "Two"]),
    description: draw.pick(["", "what it does"]),
    accessTokenType: draw.pick(["OIDC_TOKEN_TYPE_BEARER", "OIDC_TOKEN_TYPE_JWT"]),
    signingAlgorithm: draw.pick(["SIGNING_ALGORITHM_RS256", "SIGNING_ALGORITHM_EDDSA"]),
  };
  return { kind: "service", username: draw.name("user"), profile };
}

/** Keeps the username, or all, of the user as they are. */
function kept(draw: Draw, old: User | undefined): Partial<Wanted> {
  if (old === undefined || draw.chance(0.4)) return {};
  return draw.chance(0.6) ? { username: old.username } : { username: old.username, profile: old.profile };
}

function requestOf({ username, profile }: Wanted): JsonObject {
  return { username, ...profile };
}

function update(
  world: World,
  kind: User["kind"],
  userId: string,
  drawWanted: (old: User | undefined) => Wanted,
): Plan {
  const old = world.users.find(userId);
  const { username, profile } = drawWanted(old?.kind === kind ? old : undefined);
  return {
    method: kind === "human" ? method.updateHumanUser : method.updateServiceUser,
    request: { userId, ...requestOf({ kind, username, profile }) },
    judge: (caller) => {
      const user = onUser(world, caller, { userId, permission: "user.write" });
      refuseIf(user.kind !== kind, "WRONG_KIND");
      const isCredential = user.username !== username || user.profile["email"] !== profile["email"];
      refuseIf(isCredential && lacks(caller.held, heldBy(world, userId)), "PERMISSION_DENIED");
      refuseIf(isTaken(world, username, userId), "ALREADY_EXISTS");
      return {
        kind: "changed",
        entity: user,
        isSame: user.username === username && isDeepStrictEqual(user.profile, profile),
        note: (date) => Object.assign(user, { username, profile, sequence: date }),
      };
    },
  };
}

/** A call that touches the state of a user. */
function change(
  world: World,
  userId: string,
  name: "deactivateUser" | "reactivateUser" | "lockUser" | "unlockUser" | "removeUser",
  decide: (user: User, caller: Caller) => Effect,
): Plan {
  return {
    method: method[name],
    request: { userId },
    judge: (caller) =>
      decide(onUser(world, caller, { userId, permission: "user.write", touch: "stops" }), caller),
  };
}

function isTaken(world: World, username: string, exceptId = ""): boolean {
  return world.users.all().some((other) => other.id !== exceptId && isSameName(other.username, username));
}

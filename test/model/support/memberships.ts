import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { judgeTokens } from "./cascades.ts";
import type { Draw } from "./draw.ts";
import { membershipMessage } from "./messages.ts";
import { isLastOwner } from "./organizations.ts";
import {
  type Caller,
  held,
  type Held,
  holdsOn,
  holdsSomewhere,
  lacks,
  organizationOf,
  rolesOn,
} from "./permissions.ts";
import { onScope, type Operations, type Plan, present, refuseIf, userInReach } from "./plan.ts";
import type { Membership, Scope, World } from "./world.ts";

const { method } = MembershipService;

/** All rpcs of MembershipService. */
export const membershipOperations: Operations = {
  addMembership(world, draw) {
    const scope = draw.scope();
    return addMembership(world, { userId: draw.id(world.users), scope, roles: drawRoles(draw, scope.kind) });
  },
  updateMembership(world, draw) {
    const id = draw.id(world.memberships);
    const kind = world.memberships.find(id)?.scope.kind ?? "organization";
    const roles = drawRoles(draw, kind);
    return {
      method: method.updateMembership,
      request: { membershipId: id, roles: [...roles] },
      judge: (caller) => judgeUpdate(world, caller, { id, roles }),
    };
  },
  removeMembership(world, draw) {
    const id = draw.id(world.memberships);
    return {
      method: method.removeMembership,
      request: { membershipId: id },
      judge: (caller) => {
        const membership = takenFrom(world, caller, id);
        refuseIf(
          membership.scope.kind === "instance" && isLastOwner(world, { membership }),
          "LAST_INSTANCE_OWNER",
        );
        return {
          kind: "changed",
          entity: membership,
          note: () => world.memberships.remove((other) => other.id === id),
        };
      },
    };
  },
  listMemberships(world, draw) {
    const userId = draw.chance(0.4) ? draw.id(world.users) : "";
    const scopes = draw.chance(0.5) ? [] : draw.chance(0.9) ? [draw.scope()] : [draw.scope(), draw.scope()];
    return listMemberships(world, { userId, scopes });
  },
  getMyPermissions: () => ({
    method: method.getMyPermissions,
    request: {},
    judge: (caller) => ({ kind: "read", answer: { scopes: toldTo(caller) } }),
  }),
};

export function addMembership(
  world: World,
  asked: { readonly userId: string; readonly scope: Scope; readonly roles: readonly string[] },
): Plan {
  const { userId, scope, roles } = asked;
  return {
    method: method.addMembership,
    request: { userId, ...scopeJson(scope), roles: [...roles] },
    judge: (caller) => {
      onScope(world, caller, { scope, permission: "membership.write", isValid: fits(scope, roles) });
      const wanted = present(held(world, scope, roles));
      refuseIf(lacks(caller.held, [wanted]), "PERMISSION_DENIED");
      const organizationId = scope.kind === "instance" ? undefined : wanted.organizationId;
      userInReach(world, caller, { userId, organizationId });
      const isTaken = world.memberships
        .all()
        .some((other) => other.userId === userId && isSame(other.scope, scope));
      refuseIf(isTaken, "ALREADY_EXISTS");
      const owner = organizationId ?? world.instanceId;
      return {
        kind: "created",
        owner,
        idField: "membershipId",
        note: ({ id, date }) => {
          const membership: Membership = {
            id,
            label: world.label("membership"),
            resourceOwner: owner,
            created: date,
            sequence: date,
            userId,
            scope,
            roles: [...new Set(roles)],
          };
          world.memberships.add(membership);
          judgeTokens(world, membership, []);
        },
      };
    },
  };
}

export function listMemberships(
  world: World,
  filter: { readonly userId?: string; readonly scopes?: readonly Scope[] } = {},
): Plan {
  const { userId = "", scopes = [] } = filter;
  const named = Object.assign({}, ...scopes.map(scopeJson)) as JsonObject;
  // Of two scopes of one kind the request keeps the last.
  const kept = scopes.filter((scope, at) => !scopes.slice(at + 1).some((other) => other.kind === scope.kind));
  return {
    method: method.listMemberships,
    request: { userId, ...named },
    judge: (caller) => {
      refuseIf(!holdsSomewhere(caller.held, "membership.read"), "PERMISSION_DENIED");
      const isSeen = ({ scope, userId: of }: Membership) =>
        (userId === "" || of === userId) &&
        kept.every((asked) => isSame(scope, asked)) &&
        holdsOn(caller.held, "membership.read", scope, organizationOf(world, scope) ?? "");
      return {
        kind: "list",
        field: "memberships",
        items: world.memberships.where(isSeen).map(membershipMessage),
      };
    },
  };
}

function judgeUpdate(
  world: World,
  caller: Caller,
  { id, roles }: { readonly id: string; readonly roles: readonly string[] },
) {
  const membership = takenFrom(world, caller, id);
  const { scope } = membership;
  refuseIf(!fits(scope, roles), "FIELD_INVALID");
  const unique = [...new Set(roles)];
  const isKept = JSON.stringify(unique) === JSON.stringify(membership.roles);
  const wanted = present(held(world, scope, roles));
  if (!isKept) {
    refuseIf(lacks(caller.held, [wanted]), "PERMISSION_DENIED");
    const givesUp = scope.kind === "instance" && !roles.includes("INSTANCE_OWNER");
    refuseIf(givesUp && isLastOwner(world, { membership }), "LAST_INSTANCE_OWNER");
  }
  return {
    kind: "changed" as const,
    entity: membership,
    isSame: isKept,
    note: (date: number) => {
      const before = membership.roles;
      Object.assign(membership, { roles: unique, sequence: date });
      judgeTokens(world, membership, before);
    },
  };
}

/** A membership whose roles the caller may take away. */
function takenFrom(world: World, caller: Caller, id: string): Membership {
  refuseIf(!holdsSomewhere(caller.held, "membership.write"), "PERMISSION_DENIED");
  const membership = present(world.memberships.find(id));
  const own: Held = present(held(world, membership.scope, membership.roles));
  refuseIf(!holdsOn(caller.held, "membership.write", own.scope, own.organizationId), "NOT_FOUND");
  refuseIf(lacks(caller.held, [own]), "PERMISSION_DENIED");
  return membership;
}

/** Lists what the token of the caller permits on each scope: kinds of scopes in this order, then ids as numbers. */
function toldTo({ held: all }: Caller): JsonObject[] {
  return (["instance", "organization", "project", "projectGrant"] as const).flatMap((kind) =>
    all
      .filter(({ scope, permissions }) => scope.kind === kind && permissions.size > 0)
      .toSorted((left, right) => (numberOf(left.scope) < numberOf(right.scope) ? -1 : 1))
      .map(({ scope, permissions, organizationId }) =>
        Object.assign(scopeJson(scope), {
          permissions: [...permissions].toSorted(),
          resourceOwner: organizationId,
        }),
      ),
  );
}

function numberOf(scope: Scope): bigint {
  return scope.kind === "instance" ? 0n : BigInt(scope.id);
}

function drawRoles(draw: Draw, kind: Scope["kind"]): readonly string[] {
  const fitting = Object.keys(rolesOn[draw.chance(0.95) ? kind : "organization"]);
  const chosen = draw.some(fitting);
  return chosen.length === 0 ? [draw.pick(fitting)] : chosen;
}

function fits(scope: Scope, roles: readonly string[]): boolean {
  return roles.every((role) => role in rolesOn[scope.kind]);
}

function isSame(left: Scope, right: Scope): boolean {
  return left.kind === right.kind && ("id" in left ? left.id : "") === ("id" in right ? right.id : "");
}

function scopeJson(scope: Scope): JsonObject {
  return scope.kind === "instance" ? { instance: true } : { [`${scope.kind}Id`]: scope.id };
}

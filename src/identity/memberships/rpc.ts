import {
  type AddMembershipRequest,
  type ListMembershipsRequest,
  MembershipService,
} from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import type { Scope } from "../../kernel/base/permission.ts";
import { checkAsOf, readAsOf } from "../as-of-messages.ts";
import type { FeatureContext } from "../context.ts";
import { listScopedPermissions, type ScopedPermissions } from "../held-roles/scoped-permissions.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
} from "../messages.ts";
import {
  checkExpiresBefore,
  checkPeriod,
  checkPeriodChange,
  readExpiresBefore,
  readPeriod,
  readPeriodChange,
  toPeriodMessage,
} from "../rights-in-time/period-messages.ts";
import { implementService, type ServiceImplementation, toForcedCall } from "../rpc.ts";
import type { MembershipCommands } from "./commands.ts";
import { findUnknownRoles, findWrongRoles, type Membership, type ScopeName } from "./membership.ts";

/** Maps the messages of MembershipService to commands. */
export function createMembershipService(
  commands: MembershipCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(MembershipService, {
    addMembership: {
      check: (request) => [
        ...findWrongRoles(toScopeName(request)?.kind, request.roles),
        ...checkPeriod(request),
      ],
      run: async (call, request) => {
        const scope = toScopeName(request);
        if (scope === undefined) throw new Error("the oneof scope is required by its rule");
        const { id, details } = await commands.add(toForcedCall(call, request), {
          userId: request.userId,
          groupId: request.groupId,
          scope,
          roles: request.roles,
          ...readPeriod(request),
        });
        return { membershipId: id, details: toObjectDetails(details) };
      },
    },
    listMemberships: {
      check: (request) => [...checkExpiresBefore(request), ...checkAsOf(request)],
      run: async (call, request) => {
        const { userId, groupId } = request;
        const ends = readExpiresBefore(request);
        const filter = { userId, groupId, scopes: toScopeNames(request), ...ends, asOf: readAsOf(request) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), memberships: listed.page.items.map(toMembershipMessage) };
      },
    },
    getMyPermissions: {
      // Made of the roles by which the call itself is authorized, so that the two cannot differ.
      run: ({ caller }) =>
        Promise.resolve({ scopes: listScopedPermissions(caller.held).map(toScopedPermissionsMessage) }),
    },
    updateMembership: {
      // Whether the roles fit is known only once the membership is found.
      check: (request) => [...findUnknownRoles(request.roles), ...checkPeriodChange(request)],
      run: async (call, request) => {
        const asked = { roles: request.roles, ...readPeriodChange(request) };
        return toDetailsAnswer(
          await commands.update(toForcedCall(call, request), request.membershipId, asked),
        );
      },
    },
    removeMembership: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request.membershipId)),
    },
  });
}

/** Reads the scope of a new membership; undefined when the request has none, which a field rule refuses later. */
export function toScopeName({ scope }: AddMembershipRequest): ScopeName | undefined {
  switch (scope.case) {
    case "instance":
      return { kind: "instance" };
    case "organizationId":
      return { kind: "organization", id: scope.value };
    case "projectId":
      return { kind: "project", id: scope.value };
    case "projectGrantId":
      return { kind: "project-grant", id: scope.value };
    case undefined:
      return undefined;
  }
}

/** Lists the scopes that the filters name; a membership must be on all of them. */
function toScopeNames(request: ListMembershipsRequest): readonly ScopeName[] {
  const { organizationId, projectId, projectGrantId, instance } = request;
  return [
    ...(organizationId === "" ? [] : [{ kind: "organization", id: organizationId } as const]),
    ...(projectId === "" ? [] : [{ kind: "project", id: projectId } as const]),
    ...(projectGrantId === "" ? [] : [{ kind: "project-grant", id: projectGrantId } as const]),
    ...(instance ? [{ kind: "instance" } as const] : []),
  ];
}

function toMembershipMessage(membership: Membership) {
  return {
    id: membership.id,
    details: toObjectDetails(membership.details),
    userId: membership.userId ?? "",
    groupId: membership.groupId ?? "",
    scope: toScopeMessage(membership.scope),
    roles: [...membership.roles],
    ...toPeriodMessage(membership),
  };
}

function toScopedPermissionsMessage({ scope, permissions }: ScopedPermissions) {
  const resourceOwner = scope.kind === "instance" ? "" : scope.organizationId;
  return { scope: toScopeMessage(scope), permissions: [...permissions], resourceOwner };
}

function toScopeMessage(scope: Scope) {
  switch (scope.kind) {
    case "instance":
      return { case: "instance" as const, value: true };
    case "organization":
      return { case: "organizationId" as const, value: scope.organizationId };
    case "project":
      return { case: "projectId" as const, value: scope.projectId };
    case "project-grant":
      return { case: "projectGrantId" as const, value: scope.projectGrantId };
  }
}

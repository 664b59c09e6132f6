import { isMessage, type Message } from "@bufbuild/protobuf";
import { type AccessRule, OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import {
  type AddMembershipRequest,
  AddMembershipRequestSchema,
  type ListMembershipsRequest,
  MembershipService,
} from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import type { Call, Caller } from "../../base/call.ts";
import type { Clock } from "../../base/clock.ts";
import type { Database, ReadTransaction } from "../../base/database.ts";
import type { InstanceId } from "../../base/ids.ts";
import { type Permission, permissions, type Scope } from "../../base/permission.ts";
import type { FeatureContext } from "../context.ts";
import { toListDetails, toObjectDetails, toPageRequest } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import {
  type AccessDecision,
  type AccessRequest,
  authorize,
  authorizeWithin,
  confirm,
  ownAccess,
} from "./access-control.ts";
import { authenticate } from "./authentication.ts";
import type { MembershipCommands } from "./commands.ts";
import { accessTables, createCredentials } from "./credentials.ts";
import { findUnknownRoles, findWrongRoles, type Membership, type ScopeName } from "./membership.ts";

/** Maps the messages of MembershipService to commands. */
export function createMembershipService(
  commands: MembershipCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(MembershipService, {
    addMembership: {
      check: (request) => findWrongRoles(toScopeName(request)?.kind, request.roles),
      run: async (call, request) => {
        const scope = toScopeName(request);
        if (scope === undefined) throw new Error("the oneof scope is required by its rule");
        const { id, details } = await commands.add(call, {
          userId: request.userId,
          scope,
          roles: request.roles,
        });
        return { membershipId: id, details: toObjectDetails(details) };
      },
    },
    listMemberships: {
      run: async (call, request) => {
        const filter = { userId: request.userId, scopes: toScopeNames(request) };
        const { page, sequence } = await commands.list(call, filter, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          memberships: page.items.map(toMembershipMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    updateMembership: {
      // Which of the roles fit is known once the membership is found.
      check: (request) => findUnknownRoles(request.roles),
      run: async (call, request) => ({
        details: toObjectDetails(await commands.update(call, request.membershipId, request.roles)),
      }),
    },
    removeMembership: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.remove(call, request.membershipId)),
      }),
    },
  });
}

/** Says who calls and what he may do, for the pipeline of rpc. */
export function createAccessControl(setup: {
  readonly database: Database;
  readonly clock: Clock;
  readonly instanceId: InstanceId;
}) {
  const watch = setup.database.watch(accessTables);
  const ports = { clock: setup.clock, findCredentials: createCredentials(setup.database, watch) };
  return {
    authenticate: (authorization: string | undefined): Promise<Caller> => authenticate(ports, authorization),
    authorize: async (input: {
      readonly rule: AccessRule;
      readonly caller: Caller;
      readonly request: Message;
      readonly organizationId: string | undefined;
    }): Promise<AccessDecision & { readonly confirm: NonNullable<Call["confirm"]> }> => {
      const asked = toAccessRequest(input.rule, input.request, input.organizationId);
      const { caller } = input;
      const decision =
        asked === undefined ? { access: ownAccess(caller) } : await authorize(setup, caller, asked);
      const begun = { caller, request: asked, access: decision.access };
      return { ...decision, confirm: (tx: ReadTransaction) => confirm({ ...setup, watch }, tx, begun) };
    },
    authorizeWithin: (
      tx: ReadTransaction,
      input: {
        readonly rule: AccessRule;
        readonly caller: Caller;
        readonly request: Message;
        readonly organizationId: string | undefined;
      },
    ): Promise<AccessDecision & { readonly caller: Caller }> =>
      authorizeWithin({ ...setup, watch }, tx, {
        caller: input.caller,
        request: toAccessRequest(input.rule, input.request, input.organizationId),
      }),
  };
}

/**
 * Fills the access rule of an rpc with what the request names. Undefined for a call about the caller himself, which
 * needs no permission. Throws for a rule that does not fit its rpc: a test calls it for every rpc.
 */
export function toAccessRequest(
  rule: AccessRule,
  request: Message,
  organizationHeader: string | undefined,
): AccessRequest | undefined {
  if (rule.organization === OrganizationSource.SELF || rule.organization === OrganizationSource.ITEMS)
    return undefined;
  const permission = toPermission(rule.permission);
  switch (rule.organization) {
    case OrganizationSource.HEADER:
      return { permission, on: { kind: "organization", id: organizationHeader } };
    case OrganizationSource.CALLER:
      return { permission, on: { kind: "organization", id: undefined } };
    case OrganizationSource.ID:
      return { permission, on: { kind: "organization", id: idOf(request) } };
    case OrganizationSource.INSTANCE:
      return { permission, on: { kind: "instance" } };
    case OrganizationSource.HELD:
      return { permission, on: { kind: "held", id: undefined } };
    case OrganizationSource.HEADER_OR_HELD:
      return { permission, on: { kind: "held", id: organizationHeader } };
    case OrganizationSource.USER:
      return {
        permission,
        on: {
          kind: "user",
          userId: userIdOf(request),
          isSelfAllowed: rule.self,
          isSelfAllowedLimited: rule.selfLimited,
          touch: rule.guardsCredentials ? "acts" : rule.stopsUser ? "stops" : undefined,
        },
      };
    case OrganizationSource.SCOPE:
      return { permission, on: { kind: "scope", scope: scopeOf(request) } };
    case OrganizationSource.MEMBERSHIP:
      return { permission, on: { kind: "membership", membershipId: membershipIdOf(request) } };
    default:
      throw new Error(`an access rule has no source of the organization: ${rule.permission}`);
  }
}

function toPermission(name: string): Permission {
  const permission = permissions.find((candidate) => candidate === name);
  if (permission === undefined) throw new Error(`an access rule names an unknown permission: ${name}`);
  return permission;
}

function userIdOf(request: Message): string {
  if (!("userId" in request) || typeof request.userId !== "string")
    throw new Error(`${request.$typeName} has no user_id`);
  return request.userId;
}

function idOf(request: Message): string {
  if (!("id" in request) || typeof request.id !== "string") throw new Error(`${request.$typeName} has no id`);
  return request.id;
}

function membershipIdOf(request: Message): string {
  if (!("membershipId" in request) || typeof request.membershipId !== "string")
    throw new Error(`${request.$typeName} has no membership_id`);
  return request.membershipId;
}

function scopeOf(request: Message): ScopeName | undefined {
  if (!isMessage(request, AddMembershipRequestSchema)) throw new Error(`${request.$typeName} has no scope`);
  return toScopeName(request);
}

function toScopeName({ scope }: AddMembershipRequest): ScopeName | undefined {
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

/** Returns the scopes that the filters name; a membership that matches has all of them. */
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
    userId: membership.userId,
    scope: toScopeMessage(membership.scope),
    roles: [...membership.roles],
  };
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

import { isMessage, type Message } from "@bufbuild/protobuf";
import { type AccessRule, OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import { AddMembershipRequestSchema } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { type Permission, permissions } from "../../kernel/base/permission.ts";
import type { ScopeName } from "../memberships/membership.ts";
import { toScopeName } from "../memberships/rpc.ts";
import type { AccessRequest, Touch } from "./authorization.ts";

/**
 * Fills the access rule of an rpc with the objects that the request names. The result is undefined for a call about
 * the caller, which needs no permission. Throws for a rule that does not fit its rpc: a test calls it for every rpc.
 */
export function toAccessRequest(asked: {
  readonly rule: AccessRule;
  readonly request: Message;
  /** The value of x-service-orgid; undefined when it is absent. */
  readonly organizationId: string | undefined;
}): AccessRequest | undefined {
  const { rule, request, organizationId } = asked;
  if (rule.organization === OrganizationSource.SELF || rule.organization === OrganizationSource.ITEMS)
    return undefined;
  const permission = toPermission(rule.permission);
  switch (rule.organization) {
    case OrganizationSource.HEADER:
      return {
        permission,
        on: {
          kind: "organization",
          id: organizationId,
          ...(rule.ownObjects ? { isOwnAllowed: true } : {}),
        },
      };
    case OrganizationSource.CALLER:
      return { permission, on: { kind: "organization", id: undefined } };
    case OrganizationSource.ID:
      return { permission, on: { kind: "organization", id: idOf(request) } };
    case OrganizationSource.INSTANCE:
      return { permission, on: { kind: "instance" } };
    case OrganizationSource.HELD:
      return { permission, on: { kind: "held", id: undefined } };
    case OrganizationSource.HEADER_OR_HELD:
      return { permission, on: { kind: "held", id: organizationId } };
    case OrganizationSource.USER:
      return {
        permission,
        on: { kind: "user", userId: userIdOf(request), ...toTouch(rule) },
      };
    case OrganizationSource.SESSION:
      return {
        permission,
        on: { kind: "session", sessionId: sessionIdOf(request), ...toTouch(rule) },
      };
    case OrganizationSource.SCOPE:
      return { permission, on: { kind: "scope", scope: scopeOf(request) } };
    case OrganizationSource.MEMBERSHIP:
      return { permission, on: { kind: "membership", membershipId: membershipIdOf(request) } };
    default:
      throw new Error(`an access rule has no source of the organization: ${rule.permission}`);
  }
}

/** Says whether users may make a call about themselves, and what it does to the user that it is about. */
function toTouch(rule: AccessRule): Touch {
  return {
    isSelfAllowed: rule.self,
    isSelfAllowedLimited: rule.selfLimited,
    touch: rule.guardsCredentials ? "acts" : rule.stopsUser ? "stops" : undefined,
  };
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

function sessionIdOf(request: Message): string {
  if (!("sessionId" in request) || typeof request.sessionId !== "string")
    throw new Error(`${request.$typeName} has no session_id`);
  return request.sessionId;
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

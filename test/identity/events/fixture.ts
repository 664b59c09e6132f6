import type { Call, Origin } from "../../../src/kernel/base/call.ts";
import { type OrganizationId, type TokenId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import type { EventType } from "../../../src/kernel/events/payloads.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import type { EventFilter } from "../../../src/identity/events/event.ts";
import { openTestLog, type TestLog } from "../../kernel/events/test-log.ts";

export const everything: EventFilter = { aggregateType: "", aggregateId: "", eventType: "", editor: "" };

export const instance = "1";
export const organizations = ["10", "11", "12", "13"].map((id) => toId<OrganizationId>(id));

/** Opens a log that makes no tables: events of any kind can be put into it. */
export async function openEventLog(): Promise<TestLog> {
  return await openTestLog([]);
}

const samples: readonly { readonly type: EventType; readonly payload: object }[] = [
  { type: "organization.changed", payload: { name: "Organization" } },
  { type: "membership.removed", payload: {} },
  { type: "user.phone.verified", payload: {} },
  { type: "user.deactivated", payload: {} },
  { type: "project.changed", payload: { name: "Project" } },
  { type: "project.role.removed", payload: { role_key: "reader" } },
  { type: "project_grant.removed", payload: {} },
];

/** Returns an event about the object `place` of its owner; the same place is always the same object. */
export function sampleEvent(kind: number, place: number, owner: string): NewEvent {
  const { type, payload } = samples[kind % samples.length] ?? { type: "user.locked", payload: {} };
  const stem = type.slice(0, type.indexOf("."));
  const aggregateId = `${owner}${stem.length}${place}`;
  return { type, aggregateId, resourceOwner: owner, payload } as NewEvent; // of a type that has this payload
}

export function originBy(editor: string): Origin {
  return { editor: toId<UserId>(editor), remoteAddress: undefined, requestId: "request-1" };
}

/** A call of somebody who holds these roles: on everything that they may see, or on that organization. */
export function callBy(
  held: readonly HeldRoles[],
  organizationId?: OrganizationId,
  signal?: AbortSignal,
): Call {
  const caller = {
    userId: toId<UserId>("2"),
    organizationId: toId<OrganizationId>("9"),
    tokenId: toId<TokenId>("3"),
    tokenExpirationMs: undefined,
    isLimited: false,
    held,
  };
  const access = {
    organizationId: organizationId ?? caller.organizationId,
    projects: "all",
    projectGrants: "all",
  } as const;
  return {
    requestId: "request-1",
    remoteAddress: undefined,
    caller,
    access: organizationId === undefined ? { ...access, spansOrganizations: true } : access,
    deadlineMs: undefined,
    signal,
  };
}

export const instanceWide: readonly HeldRoles[] = [
  { scope: { kind: "instance" }, roles: ["INSTANCE_VIEWER"] },
];

export function viewerOf(...ids: readonly OrganizationId[]): readonly HeldRoles[] {
  return ids.map((organizationId) => ({
    scope: { kind: "organization", organizationId },
    roles: ["ORGANIZATION_VIEWER"],
  }));
}

import type { Call } from "../../../src/kernel/base/call.ts";
import {
  type InstanceId,
  type MembershipId,
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  type TokenId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role, Scope } from "../../../src/kernel/base/permission.ts";
import { putSecret } from "../../../src/kernel/events/secret-store.ts";
import { ownAccess } from "../../../src/identity/access/authorization.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import { addProject } from "../../../src/identity/projects/project.ts";
import { addToken } from "../../../src/identity/programs/tokens/token.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { openTestLog, systemOrigin, type TestLog } from "../../kernel/events/test-log.ts";
import { projectSettings, serviceProfile } from "../../support/samples.ts";

export const instanceId = toId<InstanceId>("1");

/** Two organizations; a project of the first one that is granted to the second; a user in each. */
export interface Setup {
  readonly log: TestLog;
  readonly home: OrganizationId;
  readonly partner: OrganizationId;
  readonly projectId: ProjectId;
  readonly projectGrantId: ProjectGrantId;
  readonly scopes: Readonly<Record<"instance" | "home" | "partner" | "project" | "grant", Scope>>;
  /** A user of the first organization. */
  readonly userId: UserId;
  /** A user of the second organization. */
  readonly partnerUserId: UserId;
  addUser(organizationId: OrganizationId): Promise<UserId>;
  addProject(organizationId: OrganizationId): Promise<ProjectId>;
  /** Records a membership without asking whether anybody may give it, and returns its id. */
  give(userId: UserId, scope: Scope, ...roles: readonly Role[]): Promise<MembershipId>;
  /** Records a token, made by that user or by the service, and returns its id and its text. */
  addToken(token: {
    readonly userId: UserId;
    readonly by: UserId | "system";
    readonly with?: TokenId;
    readonly expirationMs?: number;
  }): Promise<{ readonly id: TokenId; readonly text: string }>;
  close(): Promise<void>;
}

/** Opens a new database with the objects of a setup in it. */
export async function openSetup(): Promise<Setup> {
  const log = await openTestLog();
  const { ids } = log.context;
  const [home, partner] = [ids.next<OrganizationId>(), ids.next<OrganizationId>()];
  await log.append([addOrganization(home, "Home")]);
  await log.append([addOrganization(partner, "Partner")]);
  const addUser = async (organizationId: OrganizationId) => {
    const id = ids.next<UserId>();
    const profile = serviceProfile({ username: `user-${id}` });
    await log.append([addServiceUser(id, organizationId, profile)]);
    return id;
  };
  const addOne = (organizationId: OrganizationId) => recordProject(log, organizationId);
  const projectId = await addOne(home);
  const projectGrantId = ids.next<ProjectGrantId>();
  await log.append([
    {
      type: "project_grant.added",
      aggregateId: projectGrantId,
      resourceOwner: home,
      payload: { project_id: projectId, granted_organization_id: partner, role_keys: [] },
    },
  ]);
  return {
    log,
    home,
    partner,
    projectId,
    projectGrantId,
    scopes: {
      instance: { kind: "instance" },
      home: { kind: "organization", organizationId: home },
      partner: { kind: "organization", organizationId: partner },
      project: { kind: "project", projectId, organizationId: home },
      grant: { kind: "project-grant", projectGrantId, organizationId: partner },
    },
    userId: await addUser(home),
    partnerUserId: await addUser(partner),
    addUser,
    addProject: addOne,
    async give(userId, scope, ...roles) {
      const resourceOwner = scope.kind === "instance" ? instanceId : scope.organizationId;
      const id = ids.next<MembershipId>();
      await log.append([addMembership({ id, userId, scope, roles, resourceOwner })]);
      return id;
    },
    addToken: (token) => recordToken(log, { ...token, home }),
    close: () => log.close(),
  };
}

/** A call of somebody who holds these roles. */
export function callBy(organizationId: OrganizationId, ...held: readonly HeldRoles[]): Call {
  const caller = {
    userId: toId<UserId>("2"),
    organizationId,
    tokenId: toId<TokenId>("3"),
    tokenExpirationMs: undefined,
    isLimited: false,
    held,
  };
  return {
    requestId: "request-1",
    remoteAddress: undefined,
    caller,
    access: ownAccess(caller),
    deadlineMs: undefined,
    signal: undefined,
  };
}

async function recordProject(log: TestLog, organizationId: OrganizationId): Promise<ProjectId> {
  const id = log.context.ids.next<ProjectId>();
  await log.append([addProject(id, organizationId, projectSettings({ name: `Project ${id}` }))]);
  return id;
}

async function recordToken(
  log: TestLog,
  token: Parameters<Setup["addToken"]>[0] & { readonly home: OrganizationId },
): ReturnType<Setup["addToken"]> {
  const { context } = log;
  const id = context.ids.next<TokenId>();
  const made = addToken({
    id,
    userId: token.userId,
    organizationId: token.home,
    random: context.random,
    expirationMs: token.expirationMs,
    madeWithTokenId: token.with,
  });
  await log.database.write(async (tx) => {
    await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
    await context.log.append(tx, { ...systemOrigin, editor: token.by }, [made.event]);
  });
  return { id, text: made.token.reveal() };
}

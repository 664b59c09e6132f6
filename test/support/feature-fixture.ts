import type { Database } from "../../src/kernel/base/database.ts";
import type { Call, Origin } from "../../src/kernel/base/call.ts";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  type TokenId,
  toId,
  type UserId,
} from "../../src/kernel/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../src/kernel/base/keyring.ts";
import { findAccess, type HeldRoles, type Permission } from "../../src/kernel/base/permission.ts";
import { systemRandom } from "../../src/kernel/base/random.ts";
import type { NewEvent } from "../../src/kernel/events/event.ts";
import { createEventLog } from "../../src/kernel/events/event-log.ts";
import { createPersonalData } from "../../src/kernel/events/personal-data.ts";
import { type ActivityCounter, createActivityCounter } from "../../src/identity/activity/counter.ts";
import { metadataProjection } from "../../src/identity/metadata/repository.ts";
import { claimMappingProjection } from "../../src/identity/claim-mappings/repository.ts";
import { activityProjection } from "../../src/identity/activity/repository.ts";
import { rightEventProjection } from "../../src/identity/as-of/repository.ts";
import { applicationProjection } from "../../src/identity/applications/repository.ts";
import { exchangedTokenProjection } from "../../src/identity/logins/access-tokens/repository.ts";
import { authorizationProjection } from "../../src/identity/logins/authorizations/repository.ts";
import { logoutNoticeProjection } from "../../src/identity/protocol-state/logout-notices/repository.ts";
import { customTextsProjection } from "../../src/identity/texts/repository.ts";
import { deviceAuthorizationProjection } from "../../src/identity/protocol-state/device-authorizations/repository.ts";
import { groupGrantProjection } from "../../src/identity/group-grants/repository.ts";
import { groupProjection } from "../../src/identity/groups/repository.ts";
import { hookProjection } from "../../src/identity/hooks/hook/repository.ts";
import { identityProviderProjection } from "../../src/identity/providers/repository.ts";
import { interactionProjection } from "../../src/identity/logins/interactions/repository.ts";
import { knownBrowserProjection } from "../../src/identity/logins/known-browsers/repository.ts";
import { labelPolicyProjection } from "../../src/identity/branding/repository.ts";
import { loginPolicyProjection } from "../../src/identity/policies/repository.ts";
import { formerMemberProjection } from "../../src/identity/memberships/former-member-repository.ts";
import { membershipProjection } from "../../src/identity/memberships/repository.ts";
import { addOrganization } from "../../src/identity/organizations/organization.ts";
import { organizationProjection } from "../../src/identity/organizations/repository.ts";
import { addProject } from "../../src/identity/projects/project.ts";
import { projectProjection } from "../../src/identity/projects/repository.ts";
import { providerVisitProjection } from "../../src/identity/protocol-state/provider-visits/repository.ts";
import { samlLogoutProjection } from "../../src/identity/protocol-state/saml-logouts/repository.ts";
import { samlParticipationProjection } from "../../src/identity/logins/saml-participations/repository.ts";
import { securityNoticeProjection } from "../../src/identity/security-notices/repository.ts";
import { sessionProjection } from "../../src/identity/logins/sessions/repository.ts";
import { signingKeyProjection } from "../../src/identity/signing-keys/repository.ts";
import { samlKeyProjection } from "../../src/identity/signing-keys/saml-key-repository.ts";
import { userGrantProjection } from "../../src/identity/user-grants/repository.ts";
import { searched } from "../../src/identity/instance/search-words.ts";
import { userProjection } from "../../src/identity/user-service/repository.ts";
import { addServiceUser } from "../../src/identity/people/user/user.ts";
import { createTestClock, type TestClock } from "./clock.ts";
import { type Engine, engine, type TestPlace } from "./engine/engine.ts";
import { projectSettings, rolePayload, serviceProfile } from "./samples.ts";
import { startedTwice } from "./started-twice.ts";
import { type TestContext, withIds } from "./ids.ts";

const projections = [
  organizationProjection,
  userProjection,
  identityProviderProjection,
  projectProjection,
  userGrantProjection,
  formerMemberProjection,
  hookProjection,
  groupProjection,
  groupGrantProjection,
  membershipProjection,
  rightEventProjection,
  applicationProjection,
  claimMappingProjection,
  metadataProjection,
  signingKeyProjection,
  samlKeyProjection,
  sessionProjection,
  authorizationProjection,
  logoutNoticeProjection,
  samlParticipationProjection,
  exchangedTokenProjection,
  deviceAuthorizationProjection,
  loginPolicyProjection,
  labelPolicyProjection,
  customTextsProjection,
  interactionProjection,
  providerVisitProjection,
  knownBrowserProjection,
  samlLogoutProjection,
  securityNoticeProjection,
  activityProjection,
  ...searched.map(({ projection }) => projection),
];

const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "fixture" };

/** A recorded event, as the table holds it. */
export interface EventRow {
  readonly sequence: number;
  readonly date: number;
  readonly aggregate_id: string;
  readonly type: string;
  readonly resource_owner: string;
  readonly editor: string;
  readonly request_id: string;
  readonly payload: unknown;
}

/** Features on a real database of their own. */
export interface FeatureFixture {
  readonly context: TestContext;
  /** The key file. */
  readonly masterKeyText: string;
  readonly clock: TestClock;
  readonly database: Database;
  readonly place: TestPlace;
  readonly activity: ActivityCounter;
  record(...events: NewEvent[]): Promise<number>;
  addOrganization(): Promise<OrganizationId>;
  addProject(organizationId: OrganizationId, roleKeys?: readonly string[]): Promise<ProjectId>;
  addProjectGrant(
    projectId: ProjectId,
    owner: OrganizationId,
    granted: OrganizationId,
    roleKeys?: readonly string[],
  ): Promise<ProjectGrantId>;
  addUser(organizationId: OrganizationId): Promise<UserId>;
  /** Returns the events of the aggregate, oldest first. */
  events(aggregateId: string): Promise<readonly EventRow[]>;
  eventCount(): Promise<number>;
  /** Empties and refills the tables of all projections; a test compares before and after. */
  rebuild(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a new database, on the engine of the run unless the test needs another. */
export async function openFeatureFixture(on: Engine = engine): Promise<FeatureFixture> {
  const place = await on.makePlace();
  const clock = createTestClock();
  const random = systemRandom;
  const masterKeyText = newMasterKeyText(random);
  const keyring = createKeyring(parseMasterKeys(masterKeyText), random);
  const database = startedTwice(await place.open({ clock, random }));
  const personalData = createPersonalData(keyring, random, database);
  const activity = createActivityCounter();
  const { isFailure } = database;
  const log = createEventLog({ projections, personalData, isFailure, onRecorded: activity.observe });
  const context = withIds({ database, log, clock, random, keyring, personalData });
  const record = (...events: NewEvent[]) =>
    database.write(async (tx) => {
      const date = await log.append(tx, origin, events);
      while (await log.sweep(tx, 1000)); // what the service does later for a large organization
      return date;
    });
  return {
    context,
    masterKeyText,
    clock,
    database,
    record,
    place,
    activity,
    ...objects(record, () => context.ids.next()),
    events: (aggregateId) =>
      database.read(async (tx) => {
        const rows = await tx.all<EventRow & { payload: string }>(
          "SELECT * FROM events WHERE aggregate_id = ? ORDER BY sequence",
          [aggregateId],
        );
        return rows.map((row) => Object.assign(row, { payload: JSON.parse(row.payload) as unknown }));
      }),
    eventCount: async () => {
      const row = await database.read((tx) => tx.get<{ n: number }>("SELECT COUNT(*) AS n FROM events"));
      return row?.n ?? 0;
    },
    rebuild: () => database.write((tx) => log.rebuild(tx)),
    async close() {
      await database.close();
      await place.remove();
    },
  };
}

function objects(
  record: (...events: NewEvent[]) => Promise<number>,
  nextId: () => string,
): Pick<FeatureFixture, "addOrganization" | "addProject" | "addProjectGrant" | "addUser"> {
  return {
    async addOrganization() {
      const id = toId<OrganizationId>(nextId());
      await record(addOrganization(id, `organization ${id}`));
      return id;
    },
    async addProject(organizationId, roleKeys = []) {
      const id = toId<ProjectId>(nextId());
      const settings = projectSettings({ name: `project ${id}` });
      const roles = roleKeys.map(
        (key): NewEvent => ({
          type: "project.role.added",
          aggregateId: id,
          resourceOwner: organizationId,
          payload: rolePayload(key),
        }),
      );
      await record(addProject(id, organizationId, settings), ...roles);
      return id;
    },
    async addProjectGrant(projectId, owner, granted, roleKeys = []) {
      const id = toId<ProjectGrantId>(nextId());
      await record({
        type: "project_grant.added",
        aggregateId: id,
        resourceOwner: owner,
        payload: { project_id: projectId, granted_organization_id: granted, role_keys: roleKeys },
      });
      return id;
    },
    async addUser(organizationId) {
      const id = toId<UserId>(nextId());
      await record(addServiceUser(id, organizationId, serviceProfile({ username: `user-${id}` })));
      return id;
    },
  };
}

/**
 * Returns a call of somebody who acts on the organization. By default they are its owner; `permission` is the one that the
 * rpc asks for, from which follows which projects are open to them.
 */
export function callAs(
  organizationId: OrganizationId,
  options: {
    readonly held?: readonly HeldRoles[];
    readonly permission?: Permission;
    readonly deadlineMs?: number;
    readonly signal?: AbortSignal;
  } = {},
): Call {
  const held = options.held ?? [
    { scope: { kind: "organization", organizationId }, roles: ["ORGANIZATION_OWNER"] },
  ];
  const access = findAccess(held, options.permission ?? "organization.read", organizationId);
  if (access === undefined) throw new Error("the pipeline would have refused this call");
  return {
    requestId: "request-1",
    remoteAddress: undefined,
    caller: {
      userId: toId<UserId>("1"),
      organizationId,
      tokenId: toId<TokenId>("2"),
      tokenExpirationMs: undefined,
      isLimited: false,
      held,
    },
    access,
    deadlineMs: options.deadlineMs,
    signal: options.signal,
  };
}

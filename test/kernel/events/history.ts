import * as fc from "fast-check";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type OrganizationId, type TokenId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { createIdentityProviderCommands } from "../../../src/identity/providers/commands.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { createOrganizationCommands } from "../../../src/identity/organizations/commands.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import { createProjectCommands } from "../../../src/identity/projects/commands.ts";
import type { ProjectSettings } from "../../../src/identity/projects/project.ts";
import { createUserGrantCommands } from "../../../src/identity/user-grants/commands.ts";
import { createUserServiceCommands } from "../../../src/identity/user-service/commands.ts";
import { createMailer } from "../../../src/identity/people/emails/mailer.ts";
import { createPasswordHasher } from "../../../src/identity/people/passwords/hasher.ts";
import { testPasswordCost } from "../../support/password-cost.ts";
import { addToken } from "../../../src/identity/programs/tokens/token.ts";
import { localRelyingParty } from "../../../src/identity/factors/authenticators/relying-party.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { tokenIdOf } from "../../support/token-id-of.ts";
import type { TestLog } from "./test-log.ts";
import {
  humanProfile,
  identityProviderSettings,
  projectSettings,
  serviceProfile,
} from "../../support/samples.ts";

/** Three small numbers that say to whom and with what a step is done; few, so that steps meet the same objects. */
type Choice = readonly [number, number, number];

/** One step of a random history. */
export type Step = readonly [name: StepName, choice: Choice];

const small = fc.nat(5);

/** Returns histories of any steps; many of these are refused, because they name what is taken or absent. */
export function anyHistory(): fc.Arbitrary<readonly Step[]> {
  const names = Object.keys(actions) as StepName[];
  const step = fc.tuple(fc.constantFrom(...names), fc.tuple(small, small, small));
  return fc.array(step, { minLength: 10, maxLength: 50, size: "max" });
}

/** Runs the steps one after the other through the commands of the features. Refused steps leave nothing. */
export async function runHistory(log: TestLog, steps: readonly Step[]): Promise<void> {
  const world = await createWorld(log);
  for (const [name, choice] of steps) {
    try {
      await actions[name](world, choice);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}

interface Owned {
  readonly id: string;
  readonly owner: OrganizationId;
}

type World = Awaited<ReturnType<typeof createWorld>>;
type StepName = keyof typeof actions;

async function createWorld(log: TestLog) {
  const { context } = log;
  const world = {
    clock: log.clock,
    organizations: createOrganizationCommands(context, toId("1")),
    projects: createProjectCommands(context),
    users: createUserServiceCommands(context, {
      instanceId: toId("1"),
      hasher: createPasswordHasher({
        parallelism: 1,
        maxWaiting: 1,
        random: systemRandom,
        cost: testPasswordCost,
      }),
      breached: undefined,
      sms: { provider: undefined, onFailure: () => undefined },
      mailer: createMailer(context, { provider: undefined, onFailure: () => undefined }),
      issuer: () => undefined,
      isOriginOf: async () => false,
      relyingParties: { list: [localRelyingParty], allowSubdomains: false, name: "Gatehouse" },
    }),
    memberships: createMembershipCommands(context, toId("1")),
    userGrants: createUserGrantCommands(context),
    identityProviders: createIdentityProviderCommands(context),
    ids: {
      organizations: [] as OrganizationId[],
      projects: [] as Owned[],
      projectGrants: [] as Owned[],
      users: [] as Owned[],
      identityProviders: [] as Owned[],
      tokens: [] as Owned[],
    },
  };
  // Who makes the calls, with what they are made with.
  const home = toId<OrganizationId>("1");
  const { caller } = callOn(home);
  const made = { id: tokenIdOf(caller), userId: caller.userId, organizationId: home, random: context.random };
  await log.append([
    addOrganization(home, "Home of the caller"),
    addServiceUser(caller.userId, home, serviceProfile({ username: "caller" })),
    addToken(made).event,
  ]);
  // The first objects, so that every step finds something.
  await actions.addOrganization(world, [0, 0, 0]);
  await actions.addHumanUser(world, [0, 0, 0]);
  await actions.addProject(world, [0, 0, 0]);
  await actions.addRoles(world, [0, 0, 3]);
  await actions.addOrganization(world, [1, 0, 0]);
  await actions.addServiceUser(world, [1, 1, 0]);
  return world;
}

const actions = {
  turnClock: async ({ clock }: World, [first, second]: Choice) => clock.turn((first - 2) * second * 1000),
  async addOrganization(world: World, [name]: Choice) {
    const { id } = await world.organizations.add(callOn(toId("1")), `Organization ${name}`);
    world.ids.organizations.push(id);
  },
  async addProject(world: World, [at, name, flags]: Choice) {
    const owner = pick(world.ids.organizations, at);
    const { id } = await world.projects.add(callOn(owner), settingsOf(name, flags));
    world.ids.projects.push({ id, owner });
  },
  async updateProject(world: World, [at, name, flags]: Choice) {
    const { id, owner } = pick(world.ids.projects, at);
    await world.projects.update(callOn(owner), id, settingsOf(name, flags));
  },
  async addRoles(world: World, [at, first, count]: Choice) {
    const { id, owner } = pick(world.ids.projects, at);
    const roles = keysOf(first, count).map((key) => ({ key, displayName: key, group: `${count}` }));
    await world.projects.roles.add(callOn(owner), id, roles);
  },
  async addProjectGrant(world: World, [at, granted, count]: Choice) {
    const { id: projectId, owner } = pick(world.ids.projects, at);
    const grantedOrganizationId = pick(world.ids.organizations, granted);
    const grant = { projectId, grantedOrganizationId, roleKeys: keysOf(0, count % 3) };
    const { id } = await world.projects.grants.add(callOn(owner), grant);
    world.ids.projectGrants.push({ id, owner: grantedOrganizationId });
  },
  async addHumanUser(world: World, [at, name, phone]: Choice) {
    const owner = pick(world.ids.organizations, at);
    const profile = { username: `user-${name}`, phone: phone === 0 ? "" : phoneOf(phone) };
    const { id } = await world.users.addHuman(callOn(owner), humanProfile(profile));
    world.ids.users.push({ id, owner });
  },
  async addServiceUser(world: World, [at, name]: Choice) {
    const owner = pick(world.ids.organizations, at);
    const profile = serviceProfile({ username: `user-${name}` });
    const { id } = await world.users.addService(callOn(owner), profile);
    world.ids.users.push({ id, owner });
  },
  async setPhone(world: World, [at, phone, isVerified]: Choice) {
    const { id: userId, owner } = pick(world.ids.users, at);
    const verification = isVerified === 0 ? "is-verified" : "return-code";
    const input = { userId, phone: phoneOf(phone), verification } as const;
    const { code } = await world.users.phones.set(callOn(owner), input);
    if (isVerified > 2) {
      await world.users.phones.verify(callOn(owner), { userId, code: code ?? new Secret("") });
    }
  },
  async registerU2f(world: World, [at]: Choice) {
    const { id: userId, owner } = pick(world.ids.users, at);
    await world.users.u2f.register(callOn(owner), { userId, domain: "" });
  },
  async addToken(world: World, [at, lifetime]: Choice) {
    const { id: userId, owner } = pick(world.ids.users, at);
    const expirationMs = lifetime === 0 ? undefined : world.clock.nowMs() + lifetime;
    const { id } = await world.users.tokens.add(callOn(owner), { userId, expirationMs });
    world.ids.tokens.push({ id, owner: toId(userId) });
  },
  async addTokenForOneself(world: World, [with_]: Choice) {
    const { id: tokenId, owner: userId } = pick(world.ids.tokens, with_);
    const owner = world.ids.users.find((user) => user.id === userId)?.owner ?? toId("1");
    const call = callOn(owner);
    const caller = { ...call.caller, userId: toId<UserId>(userId), tokenId: toId<TokenId>(tokenId) };
    const { id } = await world.users.tokens.add({ ...call, caller }, { userId, expirationMs: undefined });
    world.ids.tokens.push({ id, owner: userId });
  },
  async addMembership(world: World, [at, kind, on]: Choice) {
    const { id: userId } = pick(world.ids.users, at);
    const [scope, role] = [
      [{ kind: "instance" }, "INSTANCE_VIEWER"],
      [{ kind: "organization", id: pick(world.ids.organizations, on) }, "ORGANIZATION_OWNER"],
      [{ kind: "project", id: pick(world.ids.projects, on).id }, "PROJECT_OWNER"],
      [{ kind: "project-grant", id: world.ids.projectGrants[on]?.id ?? "0" }, "PROJECT_GRANT_OWNER"],
    ][kind % 4] as [Parameters<World["memberships"]["add"]>[1]["scope"], string];
    await world.memberships.add(callOn(toId("1")), { userId, scope, roles: [role] });
  },
  async addUserGrant(world: World, [at, on, count]: Choice) {
    const { id: userId, owner } = pick(world.ids.users, at);
    const { id: projectId } = pick(world.ids.projects, on);
    const grant = world.ids.projectGrants.find((each) => each.owner === owner);
    const projectGrantId = count % 2 === 0 ? "" : (grant?.id ?? "");
    const roleKeys = keysOf(0, count % 3);
    await world.userGrants.add(callOn(owner), { userId, projectId, projectGrantId, roleKeys });
  },
  async addIdentityProvider(world: World, [at, name, kind]: Choice) {
    const owner = pick(world.ids.organizations, at);
    const settings = identityProviderSettings({ name: `Idp ${name}`, autoRegister: kind > 3 });
    const { id } = await world.identityProviders.add(
      callOn(owner),
      settings,
      kind % 2 === 0
        ? { kind: "jwt", ...sourceOf(name), audiences: keysOf(0, kind) }
        : { kind: "oidc", ...oidc, clientSecret: new Secret("client secret") },
    );
    world.ids.identityProviders.push({ id, owner });
  },
  async updateJwt(world: World, [at, header]: Choice) {
    const { id, owner } = pick(world.ids.identityProviders, at);
    await world.identityProviders.updateJwt(callOn(owner), id, sourceOf(header));
  },
};

const oidc = {
  clientId: "client",
  issuer: "https://idp.test",
  scopes: ["openid", "openid", "email"],
  displayNameMapping: "OIDC_MAPPING_FIELD_EMAIL",
  usernameMapping: "OIDC_MAPPING_FIELD_EMAIL",
};

/** Returns one of the list; raises NOT_FOUND like a command when there is none. */
function pick<T>(list: readonly T[], choice: number): T {
  const picked = list[choice % Math.max(list.length, 1)];
  if (picked === undefined)
    throw new Problem({ kind: "not-found", reason: "NOT_FOUND", message: "none yet" });
  return picked;
}

function keysOf(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `role-${first + index}`);
}

function phoneOf(choice: number): string {
  return `+4179${String(1_000_000 + choice)}`;
}

function sourceOf(choice: number) {
  return {
    jwtEndpoint: "https://idp.test/jwt",
    issuer: "https://idp.test",
    keysEndpoint: "https://idp.test/keys",
    headerName: choice === 0 ? "" : `x-jwt-${choice}`,
  };
}

function settingsOf(name: number, flags: number): ProjectSettings {
  return projectSettings({
    name: `Project ${name}`,
    projectRoleAssertion: flags % 2 === 1,
    projectRoleCheck: flags > 2,
    hasProjectCheck: flags === 4,
  });
}

/** A call on the organization of somebody who may do everything. */
function callOn(organizationId: OrganizationId): Call {
  return {
    requestId: "request-1",
    remoteAddress: "198.51.100.23",
    caller: {
      userId: toId("2"),
      organizationId,
      tokenId: toId("3"),
      tokenExpirationMs: undefined,
      isLimited: false,
      held: [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }],
    },
    access: { organizationId, projects: "all", projectGrants: "all" },
    deadlineMs: undefined,
    signal: undefined,
  };
}

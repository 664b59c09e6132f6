import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { itemOf, resultsOf, writeItems } from "../support/batch.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  type TestUser,
  uniqueName,
} from "../support/world.ts";
import { createTokenCalls, onOrganization, onProject } from "./support/token-calls.ts";

// What a token carries: decision 14, as attackers try it.

const { addMembership, updateMembership, removeMembership, listMemberships } = MembershipService.method;
const { addPersonalAccessToken, listPersonalAccessTokens, removePersonalAccessToken, getMyUser } =
  UserService.method;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { ask, tell, addOrganization, give, mint, tokensOf, limitedOf, mayRename } = createTokenCalls(
  () => service,
);

describe("a limited token", () => {
  interface Ground {
    readonly organizationId: string;
    readonly projectId: string;
    readonly maker: TestUser;
    readonly user: TestUser;
    /** Made by the maker, who holds nothing on the project. */
    readonly limited: { readonly id: string; readonly token: string };
    readonly membershipId: string;
  }

  async function prepare(roles: readonly string[] = ["PROJECT_OWNER"]): Promise<Ground> {
    const organizationId = await addOrganization();
    const projectId = await createProject(service, organizationId);
    const maker = await createServiceUser(service, organizationId, "ORGANIZATION_USER_MANAGER");
    const user = await createServiceUser(service, organizationId);
    const limited = await mint(user.id, maker.token);
    const membershipId = await give(user.id, onProject(projectId), roles);
    return { organizationId, projectId, maker, user, limited, membershipId };
  }

  const mayUse = ({ projectId, organizationId }: Ground, token: string) =>
    mayRename(projectId, organizationId, token);

  test("does not do what the roles allow that are left out, and another one of the same user does", async () => {
    const ground = await prepare();
    expect(await mayUse(ground, ground.limited.token)).toBe("PERMISSION_DENIED");
    expect(await mayUse(ground, ground.user.token)).toBe("allowed");
    expect(await tell(listMemberships, {}, ground.limited.token)).toBe("PERMISSION_DENIED");
    expect(await tell(listMemberships, {}, ground.user.token)).toBe("allowed");
  });

  test("gives nobody a role that it does not carry, whatever its user holds", async () => {
    const ground = await prepare();
    const { id } = await createServiceUser(service, ground.organizationId);
    const request = { userId: id, scope: onProject(ground.projectId), roles: ["PROJECT_VIEWER"] };
    expect(await tell(addMembership, request, ground.limited.token)).toBe("PERMISSION_DENIED");
    const update = { membershipId: ground.membershipId, roles: ["PROJECT_VIEWER"] };
    expect(await tell(updateMembership, update, ground.limited.token)).toBe("PERMISSION_DENIED");
    expect(await tell(addMembership, request, ground.user.token)).toBe("allowed");
  });

  test("is listed as such, with the memberships that the caller may read", async () => {
    const { user, limited, membershipId, maker, organizationId } = await prepare();
    const [own] = await tokensOf(user.id);
    const whole = [own?.["id"], false, []];
    const viewer = await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER");
    expect(await limitedOf(user.id)).toEqual([whole, [limited.id, true, [membershipId]]]);
    expect(await limitedOf(user.id, viewer.token)).toEqual([whole, [limited.id, true, [membershipId]]]);
    expect(await limitedOf(user.id, user.token)).toEqual([whole, [limited.id, true, [membershipId]]]);
    expect(await limitedOf(user.id, limited.token)).toEqual([whole, [limited.id, true, []]]);
    expect(await limitedOf(user.id, maker.token)).toEqual([whole, [limited.id, true, []]]);
  });

  test("makes tokens for others by what it carries only", async () => {
    const ground = await prepare();
    const { organizationId, user, limited, projectId } = ground;
    await give(user.id, onOrganization(organizationId), ["ORGANIZATION_USER_MANAGER"]);
    const [plain, projectOwner] = [
      await createServiceUser(service, organizationId),
      await createServiceUser(service, organizationId),
    ];
    await give(projectOwner.id, onProject(projectId), ["PROJECT_OWNER"]);
    const made = await mint(plain.id, limited.token);
    expect(await tell(addPersonalAccessToken, { userId: projectOwner.id }, limited.token)).toBe(
      "PERMISSION_DENIED",
    );
    expect(await tell(addPersonalAccessToken, { userId: projectOwner.id }, user.token)).toBe("allowed");
    await give(plain.id, onProject(projectId), ["PROJECT_OWNER"]);
    expect(await mayUse(ground, made.token)).toBe("PERMISSION_DENIED");
  });

  test("becomes one in the middle of a batch, and the items behind are judged so", async () => {
    const ground = await prepare(["PROJECT_OWNER"]);
    const { projectId, organizationId, maker } = ground;
    const owner = await give(maker.id, onProject(projectId), ["PROJECT_OWNER"]);
    const userId = await createHumanUser(service, organizationId);
    const { token } = await mint(userId, maker.token);
    const membershipId = await give(userId, onProject(projectId), ["PROJECT_OWNER"]);
    await service.call(removeMembership, { membershipId: owner });
    // The token carries PROJECT_OWNER, so it may give its user PROJECT_VIEWER too. Its maker's does not any more.
    const items = [
      itemOf(UserService.method.removePhone, { userId }),
      itemOf(updateMembership, { membershipId, roles: ["PROJECT_OWNER", "PROJECT_VIEWER"] }),
      itemOf(UserService.method.removePhone, { userId }),
      itemOf(addPersonalAccessToken, { userId }),
    ];
    const outcome = await writeItems(service.clients.json, { items, allowPartialSuccess: true }, { token });
    const results = resultsOf(outcome);
    expect(results.map((result) => Object.keys(result)[0])).toEqual([
      "removePhone",
      "updateMembership",
      "error",
      "addPersonalAccessToken",
    ]);
    expect(JSON.stringify(results[2])).toContain('"TOKEN_LIMITED"');
    const made = results[3]?.["addPersonalAccessToken"] as JsonObject;
    expect((await limitedOf(userId)).at(-1)).toEqual([idOf(made, "tokenId"), true, [membershipId]]);
  });

  test("is not answered what another token of its user was answered, and has keys of its own", async () => {
    const ground = await prepare();
    const { user, limited, organizationId } = ground;
    const { addProject } = ProjectService.method;
    await give(user.id, onOrganization(organizationId), ["ORGANIZATION_PROJECT_MANAGER"]);
    // Both carry project.create: the limited one by a maker who does, too.
    const manager = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
    const other = await createServiceUser(service, organizationId);
    const byManager = await mint(other.id, manager.token);
    const byMaker = await mint(other.id, ground.maker.token);
    await give(other.id, onOrganization(organizationId), ["ORGANIZATION_PROJECT_MANAGER"]);
    await give(other.id, onProject(ground.projectId), ["PROJECT_VIEWER"]);
    expect((await limitedOf(other.id)).slice(1).map(([, isLimited]) => isLimited)).toEqual([false, true]);
    const add = async (token: string, key: string, name: string) => {
      const outcome = await ask(addProject, { name }, token, { "idempotency-key": key });
      const reason = outcome.kind === "answer" ? idOf(outcome.json, "id") : refusalOf(outcome).reason;
      return [reason, outcome.headers.get("idempotency-replayed")];
    };
    const [key, name] = [uniqueName("key"), uniqueName("Project")];
    const [id] = await add(byManager.token, key, name);
    expect(await add(byManager.token, key, name)).toEqual([id, "true"]);
    expect(await add(byMaker.token, key, name)).toEqual(["PERMISSION_DENIED", null]);
    expect(await add(limited.token, key, name)).toEqual(["PERMISSION_DENIED", null]);
    // One that carries the permission and is limited in something else.
    const third = await createServiceUser(service, organizationId);
    const half = await mint(third.id, manager.token);
    await give(third.id, onOrganization(organizationId), ["ORGANIZATION_PROJECT_MANAGER"]);
    await give(third.id, onOrganization(await addOrganization()), ["ORGANIZATION_VIEWER"]);
    const [ofWhole] = await add(third.token, `${key} 3`, `${name} 3`);
    expect(await add(half.token, `${key} 3`, `${name} 3`)).toEqual(["ALREADY_EXISTS", null]);
    const [ofHalf] = await add(half.token, `${key} 4`, `${name} 4`);
    expect(await add(half.token, `${key} 4`, `${name} 4`)).toEqual([ofHalf, "true"]);
    expect(await add(third.token, `${key} 4`, `${name} 4`)).toEqual(["ALREADY_EXISTS", null]);
    expect(await add(third.token, `${key} 3`, `${name} 3`)).toEqual([ofWhole, "true"]);
  });

  test("judges a change with if-match and a dry run by what it carries", async () => {
    const ground = await prepare();
    const { projectId, organizationId, limited, user } = ground;
    const request = { id: projectId, name: uniqueName("Project") };
    for (const [name, value] of [
      ["if-match", "*"],
      ["x-service-validate-only", "true"],
    ] as const) {
      const on: Record<string, string> = { [name]: value, "x-service-orgid": organizationId };
      const { updateProject } = ProjectService.method;
      expect(await tell(updateProject, request, limited.token, on)).toBe("PERMISSION_DENIED");
      expect(await tell(updateProject, request, user.token, on)).toBe("allowed");
    }
  });

  test("locks nobody out: its user reads and makes tokens, managers stop them, and who holds all makes a new one", async () => {
    const ground = await prepare();
    const { user, limited, maker, organizationId } = ground;
    const ownId = idOf((await tokensOf(user.id))[0] ?? {}, "id");
    await service.call(removePersonalAccessToken, { userId: user.id, tokenId: ownId });
    expect(await tell(getMyUser, {}, limited.token)).toBe("allowed");
    expect(await tell(listPersonalAccessTokens, { userId: user.id }, limited.token)).toBe("allowed");
    const revoke = { userId: user.id, tokenId: limited.id };
    expect(await tell(removePersonalAccessToken, revoke, limited.token)).toBe("TOKEN_LIMITED");
    const owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
    const fresh = await mint(user.id, owner.token);
    expect(await mayUse(ground, fresh.token)).toBe("allowed");
    expect(await tell(removePersonalAccessToken, revoke, maker.token)).toBe("allowed");
    expect(await tell(getMyUser, {}, limited.token)).toBe("TOKEN_INVALID");
    expect(await mayUse(ground, fresh.token)).toBe("allowed");
  });
});

// Acting as a user and stopping a user are two things.
describe("who gives users of another organization a role on their own", () => {
  /** B with its owner and a user; somebody who owns A and may read B has given the user a role on A. */
  async function attack() {
    const [a, b] = [await addOrganization(), await addOrganization()];
    const attacker = await createServiceUser(service, a, "ORGANIZATION_OWNER");
    await give(attacker.id, onOrganization(b), ["ORGANIZATION_VIEWER"]);
    const owner = await createServiceUser(service, b, "ORGANIZATION_OWNER");
    const manager = await createServiceUser(service, b, "ORGANIZATION_USER_MANAGER");
    const victim = await createServiceUser(service, b);
    await give(victim.id, onOrganization(a), ["ORGANIZATION_OWNER"], attacker.token);
    return { b, owner, manager, victim };
  }

  test("does not keep their managers from stopping them, nor from letting them go on", async () => {
    const { owner, manager, victim } = await attack();
    const [{ id: tokenId = "" } = {}] = (await tokensOf(victim.id)) as readonly { id?: string }[];
    const { deactivateUser, reactivateUser, lockUser, unlockUser, removeUser } = UserService.method;
    for (const { token } of [owner, manager])
      for (const method of [lockUser, unlockUser, deactivateUser, reactivateUser])
        expect([method.name, await tell(method, { userId: victim.id }, token)]).toEqual([
          method.name,
          "allowed",
        ]);
    const revoke = { userId: victim.id, tokenId };
    expect(await tell(getMyUser, {}, victim.token)).toBe("allowed");
    expect(await tell(removePersonalAccessToken, revoke, manager.token)).toBe("allowed");
    expect(await tell(getMyUser, {}, victim.token)).toBe("TOKEN_INVALID");
    expect(await tell(removeUser, { userId: victim.id }, manager.token)).toBe("allowed");
  });

  test("does not keep the owner from stopping the organization with all of them", async () => {
    const { b, owner, victim } = await attack();
    const { deactivateOrganization, reactivateOrganization, removeOrganization } = OrganizationService.method;
    // Its owner is stopped with it, so somebody of elsewhere with the same role lets it go on.
    const elsewhere = await createServiceUser(service, await addOrganization());
    await give(elsewhere.id, onOrganization(b), ["ORGANIZATION_OWNER"]);
    expect(await tell(deactivateOrganization, { id: b }, owner.token)).toBe("allowed");
    expect(await tell(getMyUser, {}, victim.token)).toBe("TOKEN_INVALID");
    expect(await tell(reactivateOrganization, { id: b }, elsewhere.token)).toBe("allowed");
    expect(await tell(getMyUser, {}, victim.token)).toBe("allowed");
    expect(await tell(removeOrganization, { id: b }, owner.token)).toBe("allowed");
  });

  test("does not open the user to their managers: acting as them needs what they hold there too", async () => {
    const { owner, victim } = await attack();
    const refused = await ask(addPersonalAccessToken, { userId: victim.id }, owner.token);
    expect(refusalOf(refused)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
    // Of which organization the owner of B must not learn: they may not read that membership.
    const details = refused.kind === "error" ? refused.status.details : [];
    expect(details).toEqual([expect.objectContaining({ metadata: { permission: "organization.read" } })]);
  });
});

describe("who gives users roles without the right to read users", () => {
  test("ends none of their tokens, and takes nothing from them", async () => {
    const a = await addOrganization();
    const [first, second] = [await createProject(service, a), await createProject(service, a)];
    const maker = await createServiceUser(service, a, "ORGANIZATION_USER_MANAGER");
    const attacker = await createServiceUser(service, a);
    await give(attacker.id, onProject(first), ["PROJECT_OWNER"]);
    const victims: { readonly id: string; readonly token: string }[] = [];
    for (let at = 0; at < 3; at++) {
      const { id } = await createServiceUser(service, a);
      victims.push({ id, token: (await mint(id, service.adminToken)).token });
      await give(id, onProject(second), ["PROJECT_OWNER"]);
    }
    const weak = await Promise.all(victims.map(async () => await createServiceUser(service, a)));
    const minted = await Promise.all(weak.map(async ({ id }) => await mint(id, maker.token)));
    for (const { id } of [...victims, ...weak])
      await give(id, onProject(first), ["PROJECT_VIEWER"], attacker.token);
    const enters = await Promise.all(
      [...victims, ...minted].map(async ({ token }) => await tell(getMyUser, {}, token)),
    );
    expect(enters).toEqual(enters.map(() => "allowed"));
    const renames = await Promise.all(victims.map(({ token }) => mayRename(second, a, token)));
    expect(renames).toEqual(renames.map(() => "allowed"));
  });
});

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import { createProject, createServiceUser } from "../support/world.ts";
import { createTokenCalls, onOrganization, onProject } from "./support/token-calls.ts";

// Acting as a user and stopping a user are two things: decision 14, as attackers try it.

const { addPersonalAccessToken, removePersonalAccessToken, getMyUser } = UserService.method;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { ask, tell, addOrganization, give, mint, tokensOf, mayRename } = createTokenCalls(() => service);

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

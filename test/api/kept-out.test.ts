import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { checkWaysIn } from "../../src/cli/doctor/way-in-check.ts";
import { parseConfig } from "../../src/config/config.ts";
import { startService, type TestService } from "../support/service.ts";
import { idOf, uniqueName } from "../support/world.ts";
import { createHolders, type Holders } from "./support/holders.ts";

// What doctor says of people who hold a role on the instance and cannot sign in (S6).

const users = UserService.method;
const policies = LoginPolicyService.method;
const open = { allowPassword: true, allowPasskeys: true, allowExternalIdps: true };

let service: TestService;
let organizationId: string;
let holders: Holders;
beforeAll(async () => {
  service = await startService();
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Home") });
  organizationId = idOf(added, "organizationId");
  holders = createHolders(service, organizationId);
});
afterAll(() => service.stop());
afterEach(() => holders.removeAll());

const check = (flags?: Readonly<Record<string, string>>) =>
  service.context.database.read((tx) => checkWaysIn(tx, flags && parseConfig(flags, {})));
const isWell = { state: "ok", detail: "everybody who holds a role on the instance can sign in" };

test("says that all can sign in, and names those who cannot", async () => {
  expect(await check({})).toMatchObject(isWell);
  const without = await holders.holder();
  const { userId: linked } = await holders.addLinked();
  expect((await check({})).detail).toBe(
    "some who hold a role on the instance cannot sign in by themselves; " +
      `they have no password, no passkey and no verified address to which a code can go: ${without}; ` +
      `they have only an identity provider of their organization: ${linked}`,
  );
  await service.call(users.deactivateUser, { userId: without });
  await holders.setPassword(linked);
  expect(await check({})).toMatchObject(isWell);
});

test("names those whom the policy of the instance keeps out", async () => {
  const userId = await holders.holder();
  await holders.setPassword(userId);
  const closed = { ...open, allowPassword: false, force: true };
  await service.call(policies.updateDefaultLoginPolicy, closed);
  expect(await check({})).toMatchObject({
    state: "warning",
    detail: expect.stringContaining(`the login policy of the instance keeps them out: ${userId}`),
  });
  await service.call(policies.updateDefaultLoginPolicy, open);
});

test("counts passkeys of the pages of the issuer only, and those of any pages if it knows no issuer", async () => {
  const userId = await holders.holder();
  await holders.addPasskey(userId);
  expect(await check({ issuer: "https://login.example" })).toMatchObject({ state: "warning" });
  expect(await check()).toMatchObject(isWell);
  expect(await check({})).toMatchObject(isWell);
  expect(await check({ issuer: "http://localhost:8080" })).toMatchObject(isWell);
});

test("counts addresses only if something can be mailed", async () => {
  const userId = await holders.holder();
  await holders.setAddress(userId);
  expect(await check({})).toMatchObject(isWell);
  expect(await check({ issuer: "https://login.example" })).toMatchObject({ state: "warning" });
});

test("names owners whom earlier versions have locked for wrong passwords, and nobody whom somebody has locked", async () => {
  const [locked, stopped] = [await holders.person(), await holders.person()];
  for (const userId of [locked, stopped]) await holders.give(userId, ["INSTANCE_OWNER"]);
  await service.call(users.lockUser, { userId: stopped });
  const { database, log } = service.context;
  const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
  const payload = { cause: "wrong_passwords" } as const;
  await database.write((tx) =>
    log.append(tx, origin, [
      { type: "user.locked", aggregateId: locked, resourceOwner: organizationId, payload },
    ]),
  );
  const { detail } = await check({});
  expect(detail).toContain(`they were locked for wrong passwords, unlock them: ${locked}`);
  expect(detail).not.toContain(stopped);
});

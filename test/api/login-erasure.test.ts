// What people log in with goes with them: with the user, and with the organization (rule 42 of the login contract).
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { findHumanByUsername } from "../../src/identity/people/user/repository.ts";
import { createPageBrowser, type PageBrowser } from "../sites/login/support/browser.ts";
import { createApplication, type TestApplication } from "../sites/oidc/support/application.ts";
import { issuerOf } from "../sites/oidc/support/machine.ts";
import { authorizePath } from "../sites/oidc/support/signed-in.ts";
import { createSearch, spellingsOf } from "../support/canary-search.ts";
import { startService, type TestService } from "../support/service.ts";
import { createCaller, createProject, uniqueName } from "../support/world.ts";
import { addOrganization, addPerson } from "../sites/login/support/people.ts";
import { addProvider, furnish } from "./support/furnished-login.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Ground {
  readonly organizationId: string;
  readonly application: TestApplication;
  readonly idpId: string;
}

async function layGround(): Promise<Ground> {
  const organizationId = await addOrganization(service, "Lamp Works");
  const call = createCaller(service, organizationId);
  const policy = {
    allowPassword: true,
    allowExternalIdps: true,
    allowPasskeys: true,
    allowRegistration: true,
  };
  await call(LoginPolicyService.method.updateLoginPolicy, policy);
  const projectId = await createProject(service, organizationId);
  await addPerson(service, organizationId); // whose organization has a key from then on
  return {
    organizationId,
    application: await createApplication(service, { organizationId, projectId }),
    idpId: await addProvider(service, organizationId),
  };
}

/** What people type who register. Nobody else has any of it. */
function newPerson() {
  const name = uniqueName("zq8").toLowerCase().replaceAll(" ", "-");
  return {
    username: `${name}-username`,
    given_name: `${name}-given`,
    family_name: `${name}-family`,
    email: `${name}@zq8.example`,
    password: `${name} is the password`,
    repeated: `${name} is the password`,
  };
}

/** Somebody registers, logs in once more, and types a wrong password. */
async function liveOn({ application }: Ground, person: ReturnType<typeof newPerson>): Promise<string> {
  const open = () => createPageBrowser(service.url, issuerOf(service));
  const path = authorizePath(application, { prompt: "create" });
  await (await open().open(path)).submit(person);
  const browser = open();
  const { username, password } = person;
  const begin = (by: PageBrowser) => by.open(authorizePath(application));
  const page = await (await begin(browser)).submit({ username, password });
  expect(page.location).toMatch(/[?&]code=/);
  await (await begin(open())).submit({ username, password: "zq8 is wrong" });
  const user = await service.context.database.read((tx) => findHumanByUsername(tx, username));
  return user?.id ?? "nobody has registered";
}

/** Lists the tables that mention the user, but the log, which keeps that there was somebody. */
async function findMentions(userId: string): Promise<readonly string[]> {
  const dump = await service.place.raw.dump();
  return Object.entries(dump)
    .filter(([table]) => table !== "events")
    .filter(([, rows]) =>
      rows.some((row) => Object.values(row).some((cell) => toText(cell).includes(userId))),
    )
    .map(([table]) => table)
    .toSorted();
}

const toText = (cell: unknown) => (Buffer.isBuffer(cell) ? cell.toString("latin1") : String(cell));

/** Lists the values of which something is stored, in whatever spelling. */
async function findStored(values: Readonly<Record<string, string | Uint8Array>>): Promise<readonly string[]> {
  const names = Object.keys(values);
  const search = createSearch(Object.values(values).map((value) => spellingsOf(Buffer.from(value))));
  const bytes = await service.place.bytes();
  return [...search.findIn(bytes)].map((index) => names[index] ?? "").toSorted();
}

/** All that lies among the secrets but the times of messages: those that went to an address stay. */
async function readSecrets(): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await service.place.raw.peek<{ id: string; value: Uint8Array }>(
    "SELECT id, value FROM secrets",
  );
  return new Map(rows.filter(({ id }) => !id.includes("-rate:")).map(({ id, value }) => [id, value]));
}

describe.each([
  ["user", (_ground: Ground, userId: string) => service.call(UserService.method.removeUser, { userId })],
  [
    "organization",
    ({ organizationId: id }: Ground) => service.call(OrganizationService.method.removeOrganization, { id }),
  ],
] as const)("removing the %s", (_what, remove) => {
  test("leaves nothing of what somebody logged in with, in no table and no file", async () => {
    const ground = await layGround();
    const before = await readSecrets();
    const person = newPerson();
    const userId = await liveOn(ground, person);
    const furnished = await furnish(service, { ...ground, userId });
    const secrets = Object.fromEntries([...(await readSecrets())].filter(([id]) => !before.has(id)));
    const { password, repeated: _same, ...named } = person;
    const values = { ...named, ...furnished.stored, ...secrets };
    const kinds = new Set(Object.keys(secrets).map((id) => id.split(":")[0]));
    expect([...kinds]).toEqual(expect.arrayContaining(["password", "user-key", ...furnished.secrets]));
    expect(await findStored(values)).toEqual(
      expect.arrayContaining(Object.keys({ ...furnished.stored, ...secrets })),
    );
    expect(await findMentions(userId)).toEqual(
      expect.arrayContaining([...furnished.tables, "sessions", "stored_users", "tries"]),
    );
    const other = await layGround();
    const kept = await liveOn(other, newPerson());

    await remove(ground, userId);

    const expectGone = async () => {
      expect(await findMentions(userId)).toEqual([]);
      expect(await findStored({ ...values, password })).toEqual([]);
      expect([...(await readSecrets()).keys()].filter((id) => id in secrets)).toEqual([]);
    };
    await expectGone();
    const { database, log } = service.context;
    await database.write((tx) => log.rebuild(tx)); // must bring nothing back
    await expectGone();
    expect(await findMentions(kept)).toContain("stored_users");
    expect((await readSecrets()).has(`password:${kept}`)).toBe(true);
  });
});

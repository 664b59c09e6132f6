// People log in at a directory, with a password that is tried there and nowhere else.
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { IdentityProviderService } from "../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { startTestDirectory } from "../../../support/directory/test-directory.ts";
import { startService } from "../../../support/service.ts";
import { createCaller, uniqueName } from "../../../support/world.ts";
import { askForTokens } from "../../oidc/support/machine.ts";
import { redemption } from "../../oidc/support/signed-in.ts";
import type { Visited } from "../../oidc/support/user-agent.ts";
import { beginLogin, type FederationPlace, listUsers, openBrowser } from "../support/place.ts";
import {
  addDirectoryGroup,
  base,
  createDirectoryPlace,
  listMembers,
  logInAtDirectory,
  openDirectory,
  personEntry,
  readerEntry,
} from "./support/directory-place.ts";

const service = await startService({ dev: true });
const directory = await startTestDirectory([readerEntry]);
afterEach(() => directory.play({}));
afterAll(async () => {
  await directory.stop();
  await service.stop();
});

/** Adds somebody to the directory. */
function addPerson(uid: string, more: Parameters<typeof personEntry>[1] = {}) {
  const entry = personEntry(uid, more);
  directory.entries.push(entry);
  return entry;
}

const passwordOf = (uid: string) => [uid, `password of ${uid}`] as const;
const logIn = (place: FederationPlace, typed: readonly [string, string], browser = openBrowser(service)) =>
  logInAtDirectory(service, place, browser, typed);
const isIn = ({ url }: Visited) => url.searchParams.has("code");
const textOf = ({ page }: Visited) => page?.text ?? "";
const countBinds = (dn: string) => directory.asked.filter((each) => each.dn === dn).length;

async function readSubject(place: FederationPlace, { url }: Visited): Promise<string> {
  const { json } = await askForTokens(
    service,
    redemption(place.application, url.searchParams.get("code") ?? ""),
  );
  return String(decodeJwt(String(json["id_token"])).sub);
}

describe("somebody who comes for the first time", () => {
  test("gets an account with what the directory says, and later the same one, whatever their names have become", async () => {
    const entry = addPerson("ada");
    const place = await createDirectoryPlace(service, directory);
    const first = await readSubject(place, await logIn(place, passwordOf("ada")));
    expect(await listUsers(service, place)).toEqual([
      expect.objectContaining({
        id: first,
        username: "ada",
        human: expect.objectContaining({ displayName: "Given Family ada", isEmailVerified: false }),
      }),
    ]);
    directory.entries.splice(directory.entries.indexOf(entry), 1);
    const { attributes } = entry;
    directory.entries.push({
      dn: `uid=countess,ou=moved,${base}`,
      password: "another password",
      attributes: { ...attributes, uid: "countess", mail: "countess@example.org", sn: "Lovelace" },
    });
    const second = await readSubject(place, await logIn(place, ["countess@example.org", "another password"]));
    expect(second).toBe(first);
    const [user] = await listUsers(service, place);
    expect(JSON.stringify(user)).toContain("Lovelace");
    expect(JSON.stringify(user)).toContain("ada@example.org"); // the directory is not trusted with addresses
  });

  test("is somebody else if another entry has got their DN, name and address", async () => {
    addPerson("reused");
    const place = await createDirectoryPlace(service, directory);
    const first = await readSubject(place, await logIn(place, passwordOf("reused")));
    directory.entries.pop();
    addPerson("reused", { entryUUID: "11111111-0000-4000-8000-000000000001" });
    const page = await logIn(place, passwordOf("reused"));
    expect(textOf(page)).toContain('name="choice"'); // the username is taken
    expect(await listUsers(service, place)).toEqual([expect.objectContaining({ id: first })]);
  });

  test("gets none where the directory registers nobody", async () => {
    addPerson("stranger");
    const place = await createDirectoryPlace(service, directory, {}, { autoRegister: false });
    const page = await logIn(place, passwordOf("stranger"));
    expect(isIn(page)).toBe(false);
    expect(await listUsers(service, place)).toEqual([]);
  });
});

test("a directory that is trusted with addresses verifies them, and they follow it", async () => {
  const entry = addPerson("mailed");
  const place = await createDirectoryPlace(service, directory, { trustMail: true });
  await logIn(place, passwordOf("mailed"));
  directory.entries.pop();
  directory.entries.push({ ...entry, attributes: { ...entry.attributes, mail: "new@example.org" } });
  await logIn(place, passwordOf("mailed"));
  const [user] = await listUsers(service, place);
  expect(user).toMatchObject({ human: { email: "new@example.org", isEmailVerified: true } });
});

test("the form names the directory, and offers another way", async () => {
  const place = await createDirectoryPlace(service, directory);
  const page = await openDirectory(service, place, openBrowser(service));
  expect(textOf(page)).toMatch(new RegExp(`<h1[^>]*>Sign in with .*${place.name}`));
  expect(textOf(page)).toContain("/another-way");
});

describe("nobody is let in", () => {
  test.each([
    ["with a wrong password", "judge", "wrong"],
    ["without a password", "judge", ""],
    ["with a password that ends at NUL", "judge", "password of judge\0"],
    ["with a name that nobody has", "nobody", "password of judge"],
    ["with a name that would be a filter", "*", "password of judge"],
    ["with a name that would close the filter", "judge)(uid=*", "password of judge"],
  ])("%s, and the page is the same", async (_name, name, password) => {
    directory.entries.splice(1);
    addPerson("judge");
    const place = await createDirectoryPlace(service, directory);
    const page = await logIn(place, [name, password]);
    expect(page.page?.status).toBe(200);
    expect(textOf(page)).toContain("The name or the password is wrong");
  });

  test.each([
    ["Active Directory", { userAccountControl: "514" }],
    ["Active Directory, once the account has expired", { accountExpires: "132223104000000000" }],
    ["389 Directory Server", { nsAccountLock: "TRUE" }],
    ["OpenLDAP", { pwdAccountLockedTime: "000001010000Z" }],
  ])("whose entry is disabled, as %s says it", async (_name, attributes) => {
    directory.entries.splice(1);
    addPerson("former", attributes);
    const place = await createDirectoryPlace(service, directory);
    expect(isIn(await logIn(place, passwordOf("former")))).toBe(false);
    expect(countBinds(`uid=former,ou=people,${base}`)).toBe(0);
  });

  test("whose name two entries have", async () => {
    addPerson("twin");
    directory.entries.push({ ...personEntry("twin"), dn: `uid=twin,ou=others,${base}` });
    const place = await createDirectoryPlace(service, directory);
    expect(isIn(await logIn(place, passwordOf("twin")))).toBe(false);
  });

  test("without a password, even by a directory that takes anybody: nothing is sent", async () => {
    addPerson("empty");
    const place = await createDirectoryPlace(service, directory);
    const before = directory.asked.length;
    expect(isIn(await logIn(place, ["empty", ""]))).toBe(false);
    expect(directory.asked.length).toBe(before);
  });

  test("by a directory that is inactive", async () => {
    addPerson("off");
    const place = await createDirectoryPlace(service, directory);
    const browser = openBrowser(service);
    const form = await openDirectory(service, place, browser);
    const { deactivateIdentityProvider } = IdentityProviderService.method;
    await createCaller(service, place.organizationId)(deactivateIdentityProvider, { idpId: place.idpId });
    const page = await browser.submit(form, { username: "off", password: "password of off" });
    expect(page.page?.status).toBe(403);
  });
});

test("a password of the directory is not tried here, and one of here not there", async () => {
  addPerson("both");
  const place = await createDirectoryPlace(service, directory);
  const call = createCaller(service, place.organizationId);
  const name = uniqueName("local");
  await call(UserService.method.addHumanUser, {
    username: name,
    givenName: "Local",
    familyName: "Person",
    email: "local@example.org",
    firstPassword: { case: "password", value: "a password of here" },
  });
  expect(isIn(await logIn(place, [name, "a password of here"]))).toBe(false);
  const asked = directory.asked.length;
  const browser = openBrowser(service);
  const [username, password] = passwordOf("both");
  const page = await browser.submit(await beginLogin(service, place, browser), { username, password });
  expect([isIn(page), directory.asked.length]).toEqual([false, asked]);
});

describe("tries", () => {
  test("count under the name: after five wrong ones in a row the next has to wait", async () => {
    addPerson("hunted");
    const place = await createDirectoryPlace(service, directory);
    for (let count = 0; count < 5; count++) await logIn(place, ["hunted", "wrong"]);
    const page = await logIn(place, passwordOf("hunted"));
    expect(page.page?.status).toBe(429);
    expect(page.page?.headers.get("retry-after")).toBe("1");
    service.clock.turn(1_001);
    expect(isIn(await logIn(place, passwordOf("hunted")))).toBe(true);
  });

  test("count under the entry, whatever it was called: nothing is compared then", async () => {
    addPerson("names", { mail: ["a@x.org", "b@x.org", "c@x.org", "d@x.org", "e@x.org", "f@x.org"] });
    const place = await createDirectoryPlace(service, directory);
    for (const name of ["a@x.org", "b@x.org", "c@x.org", "d@x.org", "e@x.org"])
      await logIn(place, [name, "wrong"]);
    const dn = `uid=names,ou=people,${base}`;
    const before = countBinds(dn);
    const page = await logIn(place, ["f@x.org", "password of names"]);
    expect([page.page?.status, countBinds(dn)]).toEqual([200, before]);
  });

  test("do not count while the directory does not answer", async () => {
    addPerson("patient");
    const place = await createDirectoryPlace(service, directory);
    directory.play({ answers: { bind: () => Buffer.from("30ff", "hex") } });
    for (let count = 0; count < 6; count++)
      expect((await logIn(place, passwordOf("patient"))).page?.status).toBe(503);
    directory.play({});
    expect(isIn(await logIn(place, passwordOf("patient")))).toBe(true);
  });
});

test("groups of the directory have those members that it says, at each login", async () => {
  const entry = addPerson("member", { memberOf: [`CN=Staff, OU=Groups,${base}`, `cn=unknown,${base}`] });
  const place = await createDirectoryPlace(service, directory);
  const staff = await addDirectoryGroup(service, place, `cn=staff,ou=groups,${base}`);
  const admins = await addDirectoryGroup(service, place, `cn=admins,ou=groups,${base}`);
  const id = await readSubject(place, await logIn(place, passwordOf("member")));
  expect([await listMembers(service, place, staff), await listMembers(service, place, admins)]).toEqual([
    [id],
    [],
  ]);
  directory.entries.pop();
  const { attributes } = entry;
  directory.entries.push({
    ...entry,
    attributes: { ...attributes, memberOf: `cn=admins,ou=groups,${base}` },
  });
  await logIn(place, passwordOf("member"));
  expect([await listMembers(service, place, staff), await listMembers(service, place, admins)]).toEqual([
    [],
    [id],
  ]);
});

test("groups that name their members are looked for", async () => {
  const entry = addPerson("listed");
  directory.entries.push({ dn: `cn=crew,ou=groups,${base}`, attributes: { member: entry.dn } });
  const place = await createDirectoryPlace(service, directory, { groupBaseDn: `ou=groups,${base}` });
  const crew = await addDirectoryGroup(service, place, `cn=crew,ou=groups,${base}`);
  const id = await readSubject(place, await logIn(place, passwordOf("listed")));
  expect(await listMembers(service, place, crew)).toEqual([id]);
});

test("nothing of a password, a name, an address or a DN is in the log", () => {
  expect(service.log()).toContain("provider_login.denied");
  expect(service.log()).toContain("provider_login.refused");
  expect(service.log()).not.toMatch(/password of|uid=|dc=|@|\b(?:ada|judge|twin|hunted)\b/);
});

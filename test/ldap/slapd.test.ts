// The rules of directories on a directory that others have written: OpenLDAP's slapd, as Debian has it.
import { afterAll, describe, expect, test } from "@jest/globals";
import { array, assert, asyncProperty, constantFrom, oneof, pre } from "fast-check";
import { Client } from "ldapts";
import { listAskedAttributes, toPeopleFilter } from "../../src/identity/directories/attributes.ts";
import { findPerson, readGroupDns } from "../../src/identity/directories/find-person.ts";
import { createDirectoryServers } from "../../src/identity/directories/servers.ts";
import { toLdapConfig } from "../../src/identity/providers/ldap.ts";
import { parseDn } from "../../src/kernel/base/names/distinguished-name.ts";
import type { DirectoryConnection } from "../../src/kernel/base/directory/directory.ts";
import { Secret } from "../../src/kernel/base/secret.ts";
import { createDirectories } from "../../src/kernel/outbound/directory/directories.ts";
import { anyCharacter } from "../support/any-character.ts";
import { ldapPayload } from "../support/samples.ts";
import { certificate, personLdif, reader, startSlapd, suffix } from "./support/slapd.ts";

/** Names with everything that means something in a DN or a filter, and how RFC 4514 writes them. */
const odd: readonly (readonly [uid: string, rdn: string])[] = [
  ["comma, plus+", "uid=comma\\, plus\\+"],
  ['quote"back\\slash', 'uid=quote\\"back\\\\slash'],
  ["less<greater>;semi", "uid=less\\<greater\\>\\;semi"],
  ["#hash=equal", "uid=\\#hash=equal"],
  ["star*(paren)", "uid=star*(paren)"],
  ["*", "uid=*"],
  ["ümläut日本", "uid=ümläut日本"],
];
const referral = [
  `dn: ou=elsewhere,ou=people,${suffix}`,
  "objectClass: referral",
  "objectClass: extensibleObject",
  "ou: elsewhere",
  "ref: ldap://127.0.0.1:1/ou=elsewhere,dc=attacker",
  "",
  "",
].join("\n");
const ldif = [
  personLdif("uid=ada", "ada", ["mail: ada@example.org"]),
  ...odd.map(([uid, rdn]) => personLdif(rdn, uid)),
  referral,
].join("");

const slapd = await startSlapd({ ldif });
const second = await startSlapd({ ldif });
afterAll(async () => {
  await slapd.remove();
  await second.remove();
});

const directories = createDirectories({ dev: true, allowedHosts: [], plainTextHosts: [] });
const limits = { timeoutMs: 4_500, maxBytes: 10_000_000 };
const clock = { nowMs: () => Date.now() };
const configOf = (servers: readonly string[], change: Partial<typeof ldapPayload> = {}) =>
  toLdapConfig({
    ...ldapPayload,
    servers,
    bind_dn: reader.dn,
    base_dn: `ou=people,${suffix}`,
    user_filter: "(objectClass=inetOrgPerson)",
    login_attributes: ["uid", "mail"],
    ca_certificates: certificate.cert,
    ...change,
  });
const config = configOf([slapd.secureUrl]);

/** Works at the first of the servers that answers, as the service account. */
async function at<T>(
  asked: typeof config,
  work: (connection: DirectoryConnection) => Promise<T>,
): Promise<T> {
  const servers = createDirectoryServers(directories, clock);
  return await servers.ask({ config: asked, bindPassword: new Secret(reader.password), limits }, work);
}

const find = (name: string, asked = config) =>
  at(asked, (connection) => findPerson(connection, { config: asked, name, nowMs: Date.now() }));

describe("a person is found and let in", () => {
  test.each([
    ["with TLS", slapd.secureUrl],
    ["with STARTTLS", slapd.url],
  ])("%s", async (_name, url) => {
    const asked = configOf([url]);
    const isIn = await at(asked, async (connection) => {
      const person = await findPerson(connection, { config: asked, name: "ada@example.org", nowMs: 0 });
      if (typeof person === "string") return person;
      expect(person.subject).toMatch(/^[\da-f-]{36}$/);
      const wrong = await connection.bind(person.dn, new Secret("password of somebody"));
      return [wrong, await connection.bind(person.dn, new Secret("password of ada"))];
    });
    expect(isIn).toEqual([false, true]);
  });

  test.each(odd)("whose name is %s", async (uid) => {
    const isIn = await at(config, async (connection) => {
      const person = await findPerson(connection, { config, name: uid, nowMs: 0 });
      if (typeof person === "string") return person;
      expect(person.username).toBe(uid);
      return await connection.bind(person.dn, new Secret(`password of ${uid}`));
    });
    expect(isIn).toBe(true);
  });
});

test("no name breaks out of the filter: it finds the entry that has it, or nobody", async () => {
  const names = new Set(["ada", ...odd.map(([uid]) => uid)].map((name) => name.toLowerCase()));
  const special = constantFrom(
    "(",
    ")",
    "*",
    "\\",
    "&",
    "|",
    "!",
    "=",
    "~",
    "<",
    ">",
    "2a",
    "uid",
    "objectClass",
  );
  const text = array(oneof(special, anyCharacter), { minLength: 1, maxLength: 12 }).map((all) =>
    all.join(""),
  );
  const servers = createDirectoryServers(directories, clock);
  const asked = {
    config,
    bindPassword: new Secret(reader.password),
    limits: { ...limits, timeoutMs: 60_000 },
  };
  await servers.ask(asked, async (connection) => {
    await assert(
      asyncProperty(text, async (name) => {
        pre(name.isWellFormed() && !name.includes("\0") && !names.has(name.trim().toLowerCase()));
        expect(await findPerson(connection, { config, name, nowMs: 0 })).toBe("nobody");
      }),
      { numRuns: 500 },
    );
  });
});

test("a referral is followed by nobody, and hides nobody else", async () => {
  expect(await find("elsewhere")).toBe("nobody");
  expect(await find("ada")).toMatchObject({ username: "ada" });
});

test("a second server takes over while the first is down, and after it has gone", async () => {
  const asked = configOf([slapd.secureUrl, second.secureUrl]);
  await slapd.stop();
  expect(await find("ada", asked)).toMatchObject({ username: "ada" });
  await slapd.start();
  await second.stop();
  expect(await find("ada", asked)).toMatchObject({ username: "ada" });
  await second.start();
});

test("a wrong password of the service account is a fault of the directory, not of somebody who logs in", async () => {
  const servers = createDirectoryServers(directories, clock);
  const asking = servers.ask({ config, bindPassword: new Secret("wrong"), limits }, async () => true);
  await expect(asking).rejects.toMatchObject({ kind: "refused" });
});

test("the groups of a person are those that slapd knows, whatever their DNs look like", async () => {
  const client = new Client({ url: slapd.url });
  await client.bind(`cn=root,${suffix}`, "secret");
  const [uid, rdn] = ["comma, plus+", "uid=comma\\, plus\\+"];
  const member = `${rdn},ou=people,${suffix}`;
  const group = `cn=odd\\, group,ou=groups,${suffix}`;
  await client.add(group, { objectClass: "groupOfNames", member });
  await client.unbind();
  const read = async (asked: typeof config) =>
    await at(asked, async (connection) => {
      const person = await findPerson(connection, { config: asked, name: uid, nowMs: 0 });
      return typeof person === "string" ? person : await readGroupDns(connection, asked, person);
    });
  expect(await read(config)).toEqual([parseDn(group)]);
  const looking = configOf([slapd.secureUrl], { group_base_dn: `ou=groups,${suffix}` });
  expect(await read(looking)).toEqual([parseDn(group)]);
});

test("people beyond the limit of the server make a sync fail, rather than look as if they had gone", async () => {
  const many = Array.from({ length: 600 }, (_, index) => personLdif(`uid=u${index}`, `u${index}`)).join("");
  const limited = await startSlapd({ ldif: many, lines: ["limits users size.prtotal=550"] });
  const asked = configOf([limited.secureUrl]);
  const search = {
    base: asked.baseDn,
    filter: toPeopleFilter(asked),
    attributes: listAskedAttributes(asked),
  };
  const reading = at(asked, async (connection) => {
    let count = 0;
    for await (const page of connection.pages(search)) count += page.length;
    return count;
  });
  await expect(reading).rejects.toMatchObject({ kind: "refused", detail: "search: code 4" });
  await limited.remove();
});

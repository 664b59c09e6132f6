import { beforeAll, describe, expect, test } from "@jest/globals";
import { writeFileSync } from "node:fs";
import type { OrganizationId } from "../../src/kernel/base/ids.ts";
import { openGeneric } from "../../src/importing/generic/source.ts";
import { addHumanUser } from "../../src/identity/people/user/user.ts";
import { removeUser } from "../../src/identity/people/user/user.ts";
import { findUserById } from "../../src/identity/people/user/repository.ts";
import { findTotpSecret } from "../../src/identity/factors/totp/repository.ts";
import { toId, type SecondFactorId, type UserId } from "../../src/kernel/base/ids.ts";
import { humanProfile } from "../support/samples.ts";
import { openImportGround } from "./support/import-ground.ts";

const ground = await openImportGround();
const { fixture, run, apply, rows, write } = ground;
let organization: OrganizationId;
beforeAll(async () => {
  organization = await fixture.addOrganization();
});

const bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
const ssha = "{SSHA}fVkyWDFNTZCbjBFE0ScVTzEjOFY5QOIOFmYVYg==";
const source = (files: Readonly<Record<string, string | Buffer>>, name = "generic") =>
  openGeneric(write(files), name);
const csv = (...lines: readonly string[]) => ({ "users.csv": `${lines.join("\n")}\n` });
const jsonl = (...values: readonly unknown[]) => ({
  "all.jsonl": values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n"),
});
/** A user of a JSON line: only what matters, under a name of their own. */
const user = (id: string, more: object = {}) => ({ id, username: `name-${id}`, ...names, ...more });
const names = { given_name: "Ada", family_name: "Byron" };
const idOf = async (importedId: string) => {
  const [row] = await rows<{ id: UserId }>("SELECT id FROM users WHERE imported_id = ?", importedId);
  if (row === undefined) throw new Error(`nobody has the imported id ${importedId}`);
  return row.id;
};
const importOne = async (importedId: string, more: object) => {
  await apply(organization, source(jsonl(user(importedId, more)), importedId));
  const id = await idOf(importedId);
  const found = await fixture.database.read((tx) => findUserById(tx, id));
  if (found?.kind !== "human") throw new Error("it is a person");
  return found;
};

describe("a plan", () => {
  test("says what becomes of every line, and changes nothing", async () => {
    const before = await fixture.eventCount();
    const files = {
      ...csv(
        "id,username,given_name,family_name,email,email_verified,password_hash,roles,Shoe size",
        `1,plan-ada,Ada,Byron,ada@example.com,true,${bcrypt},Plan/admin;Plan/none,38`,
        `2,plan-bob,Bob,,ADA@example.com,no,${ssha},Nowhere/admin,`,
        "3,PLAN-Ada,Ada,Twice,,,,,",
        "1,plan-eve,Eve,Again,,,,,",
        "4,plan-joe,Joe,Odd,joe,,plain text,,",
        "5,plan-kim,Kim,Short",
        "6,,No,Name,,,,,",
        "7,plan-lee,Lee,Flag,,perhaps,,,",
      ),
      ...jsonl({ type: "project", id: "p", name: "Plan", roles: ["admin"] }),
    };
    expect(await run(organization, source(files))).toEqual({
      isWhole: false,
      lines: [
        '+ all.jsonl line 1: new project "Plan"',
        '~ users.csv line 1: the column "Shoe size" does not come along',
        '+ users.csv line 2: new user "1" with a password',
        '! users.csv line 2: user "1" comes without the role "none", which the project "Plan" lacks',
        '+ users.csv line 3: new user "2" with a password',
        '~ users.csv line 3: user "2" lacks a given or family name, for which "-" or a word of the display name stands',
        '~ users.csv line 3: user "2" has the email address of users.csv line 2, so neither can log in with the address',
        '! users.csv line 3: user "2" comes without the roles of the project "Nowhere", which is not there',
        '! users.csv line 4: user "3" is left out: users.csv line 2 has the same username',
        '! users.csv line 5: user "1" is left out: users.csv line 2 has the same id',
        '+ users.csv line 6: new user "4"',
        '! users.csv line 6: user "4" comes without its email, which must be a valid email address',
        '! users.csv line 6: user "4" comes without a password: the hash is of no known kind, or out of the bounds of its kind',
        "! users.csv line 7: has 4 values for 9 columns and is left out",
        '! users.csv line 8: user "6" is left out: username must not be empty',
        "! users.csv line 9: a user is left out: email_verified must be true or false",
        "1 password hashes are computed so fast that they are hashed again: about 1 s",
        "plan: 4 to add, 0 there already, 3 notes, 9 problems",
      ],
    });
    expect(await fixture.eventCount()).toBe(before);
    expect(await rows("SELECT * FROM imported_objects")).toEqual([]);
  });

  test("is the condition of an import: with a fault nothing is done, unless the rest is asked for", async () => {
    const files = source(jsonl(user("half-1"), '{"id":"half-2","user'), "half");
    const cut = "! all.jsonl line 2: is no JSON object; perhaps the file is cut off";
    expect(await run(organization, files, { isApplied: true })).toEqual({
      lines: [cut],
      error: "nothing was imported because of 1 problems; mend them, or import the rest with --partial",
    });
    expect(await rows("SELECT * FROM imported_objects")).toEqual([]);
    const partial = await run(organization, files, { isApplied: true, isPartial: true, isQuiet: true });
    expect(partial.lines).toEqual([cut, "import: 1 added, 0 there already, 0 notes, 1 problems"]);
    expect(await idOf("half-1")).toMatch(/^\d+$/);
  });

  test.each([
    [
      "a quote that is never closed",
      csv("id,username", '1,"cut'),
      /^! users\.csv: cannot be read any further: a quote is not closed/,
    ],
    ["no header", { "users.csv": "" }, /^! users\.csv: has no header$/],
    [
      "bytes that are not UTF-8",
      { "all.jsonl": Buffer.from([0x7b, 0xff, 0x0a]) },
      /line 1: is not UTF-8, or has more/,
    ],
    [
      "a line without end",
      { "all.jsonl": `"${"x".repeat(1_100_000)}"` },
      /line 1: is not UTF-8, or has more than 1048576/,
    ],
    ["a type that nobody knows", jsonl({ type: "rocket" }), /its type "rocket" is none of/],
    ["an id with a space at the end of the world", jsonl(user("näh")), /imported_id/],
    ["a name that turns the line around", jsonl(user("rtl", { display_name: "a\u202eb" })), /display_name/],
    [
      "a role without a project",
      jsonl(user("role", { roles: ["admin"] })),
      /roles must be project\/role, unlike "admin"/,
    ],
  ])("names %s", async (_, files, line) => {
    const { lines, isWhole } = await run(organization, source(files, "faults"));
    expect(lines.find((each) => each.startsWith("!"))).toMatch(line);
    expect(isWhole).toBe(false);
  });

  test.each([
    ["two columns of one name", csv("id,id"), "users.csv: two columns are named id"],
    ["no column id", csv("name,mail"), "users.csv: the header needs a column id"],
  ])("ends at once at %s", async (_, files, error) => {
    expect(await run(organization, source(files))).toEqual({ lines: [], error });
  });
});

describe("a user", () => {
  test("comes with address, phone, state and language, and is told nothing", async () => {
    const found = await importOne("whole", {
      email: "whole@example.com",
      email_verified: true,
      phone: "+41 79 123 45 67",
      phone_verified: true,
      preferred_language: "de-CH",
      state: "inactive",
      password_hash: bcrypt,
      password_change_required: true,
      totp_secret: "JBSW Y3DP EHPK 3PXP",
      metadata: { shoe: "38", list: [1, "b"], "no key": "" },
    });
    expect(found).toMatchObject({
      username: "name-whole",
      importedId: "whole",
      state: "INACTIVE",
      email: "whole@example.com",
      isEmailVerified: true,
      phone: "+41791234567",
      isPhoneVerified: true,
      preferredLanguage: "de-CH",
      hasPassword: true,
      isPasswordChangeRequired: true,
    });
    const [factor] = await rows<{ id: SecondFactorId; state: string }>(
      "SELECT id, state FROM second_factors WHERE user_id = ?",
      found.id,
    );
    const { personalData } = fixture.context;
    const named = { userId: found.id, id: factor?.id ?? toId<SecondFactorId>("") };
    const secret = await fixture.database.read((tx) => findTotpSecret(tx, personalData, named));
    expect([factor?.state, Buffer.from(secret ?? []).toString("latin1")]).toEqual([
      "READY",
      "Hello!\xde\xad\xbe\xef",
    ]);
    const metadata = await rows<{ key: string }>(
      "SELECT key, sequence FROM metadata WHERE object_id = ? ORDER BY key",
      found.id,
    );
    expect(metadata.map(({ key }) => key)).toEqual(["list", "shoe"]);
    expect(await rows("SELECT * FROM security_notices")).toEqual([]);
    const events = await fixture.events(found.id);
    expect(new Set(events.map(({ editor, request_id }) => `${editor} ${request_id}`))).toEqual(
      new Set(["system import"]),
    );
    // An administrator vouches for the address; only a code would prove it.
    const [row] = await rows<{ proved_email: string | null }>(
      "SELECT proved_email FROM users WHERE id = ?",
      found.id,
    );
    expect(row).toEqual({ proved_email: null });
  });

  test("has no fast hash: it is hashed again before it is stored", async () => {
    const { id } = await importOne("fast", { password_hash: ssha });
    const [row] = await rows<{ value: Uint8Array }>(
      "SELECT value FROM secrets WHERE id = ?",
      `password:${id}`,
    );
    expect(Buffer.from(row?.value ?? []).toString()).toMatch(/^\$argon2id\$.*\$of\$/);
  });

  test.each([
    [
      "only a display name",
      { given_name: "", family_name: "", display_name: "Ada King Byron" },
      ["Ada King", "Byron"],
    ],
    ["no name at all", { given_name: "", family_name: "" }, ["-", "-"]],
    ["one name", { family_name: "" }, ["Ada", "-"]],
  ])("with %s gets two", async (title, fields, expected) => {
    const { givenName, familyName } = await importOne(`named-${title.replaceAll(" ", "-")}`, fields);
    expect([givenName, familyName]).toEqual(expected);
  });
});

describe("groups and roles", () => {
  test("of the files and of the organization are given, in the order in which they need each other", async () => {
    const project = await fixture.addProject(organization, ["reader"]);
    const everything = source(
      jsonl(
        user("member", {
          groups: ["inner", "Outer"],
          roles: ["Shop/admin", `${project}/reader`, "Shop/buyer"],
        }),
        {
          type: "project",
          id: "shop",
          name: "Shop",
          roles: ["admin", { key: "buyer", display_name: "Buyer" }],
        },
        { type: "group", id: "outer", name: "Outer", roles: ["Shop/buyer"] },
        { type: "group", id: "inner", name: "Inner", parent: "outer" },
        user("late", { groups: ["inner", "Nobody"] }),
      ),
      "groups",
    );
    const { lines } = await apply(organization, everything);
    expect(lines.filter((line) => line.startsWith("!"))).toEqual([
      '! all.jsonl line 5: user "late" comes without the group "Nobody", which is not there',
    ]);
    const grants = await rows<{ name: string; role_key: string }>(
      `SELECT p.name, r.role_key FROM user_grants g JOIN user_grant_roles r ON r.user_grant_id = g.id
       JOIN projects p ON p.id = g.project_id WHERE g.user_id = ? ORDER BY r.role_key`,
      await idOf("member"),
    );
    expect(grants.map(({ role_key }) => role_key)).toEqual(["admin", "buyer", "reader"]);
    const members = await rows<{ name: string; imported_id: string }>(
      `SELECT g.name, u.imported_id FROM group_members m JOIN groups g ON g.id = m.group_id
       JOIN users u ON u.id = m.user_id ORDER BY g.name, u.imported_id`,
    );
    expect(members.map((each) => Object.values(each).join(" "))).toEqual([
      "Inner late",
      "Inner member",
      "Outer member",
    ]);
    expect(await rows("SELECT 1 FROM subgroups")).toHaveLength(1);
    expect(await rows("SELECT 1 FROM group_grants")).toHaveLength(1);
  });
});

describe("a second run", () => {
  test("adds what is new, and leaves what is there as it is, also what was removed since", async () => {
    const first = [user("again-1"), user("again-2"), { type: "group", id: "again", name: "Again" }];
    await apply(organization, source(jsonl(...first), "again"));
    const removed = await fixture.database.read(async (tx) => findUserById(tx, await idOf("again-2")));
    if (removed === undefined) throw new Error("it was just imported");
    await fixture.record(removeUser(removed));
    const before = await fixture.eventCount();
    const changed = jsonl(user("again-1", { ...names, family_name: "Changed" }), first[1], first[2]);
    const { lines } = await apply(organization, source(changed, "again"));
    expect(lines).toEqual([
      '= all.jsonl line 3: group "Again" is there from an earlier import',
      `= all.jsonl line 1: user "again-1" is there from an earlier import, as ${await idOf("again-1")}`,
      '= all.jsonl line 2: user "again-2" came with an earlier import and was removed since',
      "import: 0 added, 3 there already, 0 notes, 0 problems",
    ]);
    expect(await fixture.eventCount()).toBe(before);
    await fixture.rebuild();
    expect((await apply(organization, source(changed, "again"))).lines).toEqual(lines);
    const other = await fixture.addOrganization();
    expect((await apply(other, source(jsonl(first[0]), "again"))).lines[0]).toBe(
      '! all.jsonl line 1: user "again-1" is left out: an earlier import has added them to another organization',
    );
  });

  test("of another system merges with nobody", async () => {
    await apply(
      organization,
      source(jsonl(user("merge"), { type: "project", id: "m", name: "Merge" }), "one"),
    );
    const lines = async (...values: readonly unknown[]) =>
      (await apply(organization, source(jsonl(...values), "two"))).lines.filter((line) =>
        line.startsWith("!"),
      );
    expect(await lines(user("merge", { username: "someone-else" }))).toEqual([
      '! all.jsonl line 1: user "merge" is left out: a user has or had that id as imported id or as id',
    ]);
    expect(await lines(user("other", { username: "Name-MERGE" }))).toEqual([
      '! all.jsonl line 1: user "other" is left out: another user has the username',
    ]);
    expect(await lines({ type: "project", id: "m", name: "merge" })).toEqual([
      expect.stringMatching(/^! all\.jsonl line 1: project "merge" is left out: .*already exists/),
    ]);
    const taken = toId<UserId>("77");
    await fixture.record(addHumanUser(taken, organization, humanProfile({ username: "has-77" })));
    expect(await lines(user("77"))).toEqual([expect.stringContaining("a user has or had that id")]);
  });

  test("goes on where the first one broke off, in the middle of a file", async () => {
    const many = Array.from({ length: 2500 }, (_, index) => user(`many-${index}`));
    const [file = ""] = write(jsonl(...many));
    const broken = {
      ...openGeneric([file], "many"),
      async *users() {
        let count = 0;
        for await (const each of openGeneric([file], "many").users()) {
          if (++count > 1700) throw new Error("the power fails");
          yield each;
        }
      },
    };
    expect(await apply(organization, broken)).toMatchObject({ error: "the power fails" });
    const count = () => rows("SELECT 1 FROM users WHERE imported_id LIKE 'many-%'");
    expect(await count()).toHaveLength(1000);
    writeFileSync(file, jsonl(...many)["all.jsonl"]);
    const { lines } = await run(organization, openGeneric([file], "many"), {
      isApplied: true,
      isQuiet: true,
    });
    expect(lines).toEqual(["import: 1500 added, 1000 there already, 0 notes, 0 problems"]);
    expect(await count()).toHaveLength(2500);
  });
});

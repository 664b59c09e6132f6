import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ReadTransaction } from "../../../src/kernel/base/database.ts";
import { foldSpelling } from "../../../src/kernel/base/names/folding.ts";
import type { OrganizationId, ProjectId, UserId } from "../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { refoldUniqueNames } from "../../../src/identity/instance/unique-name-repository.ts";
import {
  findOrganizationByName,
  isOrganizationNameTaken,
} from "../../../src/identity/organizations/repository.ts";
import { createProjectCommands } from "../../../src/identity/projects/commands.ts";
import { getProject } from "../../../src/identity/projects/repository.ts";
import {
  findHumanByUsername,
  isUsernameOfOther,
  userList,
} from "../../../src/identity/people/user/repository.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { humanPayload, projectPayload, projectSettings } from "../../support/samples.ts";

const joiner = "\u200c";
const blank = "\u200b";

let fixture: FeatureFixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await openFeatureFixture();
  home = await fixture.addOrganization();
  await refoldUniqueNames(fixture.context);
});
afterAll(() => fixture.close());

const read = <T>(fn: (tx: ReadTransaction) => Promise<T>) => fixture.database.read(fn);

/** Adds users with these names in this order, as an earlier version let them have them. */
async function addUsers(...usernames: readonly string[]): Promise<Readonly<Record<string, UserId>>> {
  const added: Record<string, UserId> = {};
  for (const username of usernames) {
    const id = (added[username] = fixture.context.ids.next<UserId>());
    const payload = { ...humanPayload(), username };
    await fixture.record({ type: "user.added", aggregateId: id, resourceOwner: home, payload });
  }
  return added;
}

/** Writes the columns as an earlier version did, and updates them. */
async function update(): Promise<void> {
  const columns = { stored_users: "username", stored_organizations: "name", stored_projects: "name" };
  await fixture.database.write(async (tx) => {
    for (const [table, name] of Object.entries(columns)) {
      for (const row of await tx.all<{ id: string; name: string }>(
        `SELECT id, ${name} AS name FROM ${table}`,
      ))
        await tx.run(`UPDATE ${table} SET folded_${name} = ? WHERE id = ?`, [foldSpelling(row.name), row.id]);
    }
    await tx.run("DELETE FROM settings WHERE name = 'unique-names'");
  });
  await refoldUniqueNames(fixture.context);
}

const find = async (typed: string) => (await read((tx) => findHumanByUsername(tx, typed)))?.id;
const isTaken = (name: string) => read((tx) => isUsernameOfOther(tx, name));

async function list(username: string): Promise<readonly string[]> {
  const asked = { of: home, filter: { username } };
  return (await read((tx) => userList.read(tx, asked, { limit: 10, after: undefined }))).map(({ id }) => id);
}

describe("two names that differ in what is not seen", () => {
  test("count as one: the second is taken, and both spellings find the user, list and all", async () => {
    const { [`ali${joiner}reza`]: id } = await addUsers(`ali${joiner}reza`);
    for (const name of ["alireza", "ALI\u200dREZA", `al${blank}ireza`, `ali${joiner}reza`]) {
      expect(await isTaken(name)).toBe(true);
      expect(await find(name)).toBe(id);
      expect(await list(name)).toEqual([id]);
    }
    expect(await isTaken("alirez")).toBe(false);
    expect(await isTaken("alireza ii")).toBe(false);
  });

  test.each([
    ["before", true],
    ["after", false],
  ] as const)(
    "both stay if an earlier version let them be, the plain one made %s the other: each is found by its own spelling",
    async (when, isPlainFirst) => {
      const [plain, hiding] = [`grace-${when}`, `grace${blank}-${when}`];
      const ids = await addUsers(...(isPlainFirst ? [plain, hiding] : [hiding, plain]));
      await update();
      expect([await find(plain), await find(hiding.toUpperCase())]).toEqual([ids[plain], ids[hiding]]);
      expect(await find(`grace${joiner}-${when}`)).toBe(ids[plain]);
      expect(await list(plain)).toEqual(Object.values(ids));
      expect([await isTaken(plain), await isTaken(hiding), await isTaken(`${plain}${joiner}`)]).toEqual([
        true,
        true,
        true,
      ]);
      await fixture.record({
        type: "user.removed",
        aggregateId: ids[plain] ?? "",
        resourceOwner: home,
        payload: {},
      });
      expect([await isTaken(plain), await find(plain)]).toEqual([true, ids[hiding]]);
    },
  );

  test("find nobody by a third spelling if neither is plain", async () => {
    const ids = await addUsers(`eve${blank}x`, `ev${blank}ex`);
    await update();
    expect(await find("evex")).toBeUndefined();
    expect(await find(`ev${blank}ex`)).toBe(ids[`ev${blank}ex`]);
  });
});

test("an update of the tables leaves what a rebuild makes", async () => {
  const names = ["Acme", `Ac${blank}me`, "Caf\u00e9", `Ca${joiner}fe\u0301`];
  for (const name of names) {
    const id = fixture.context.ids.next<OrganizationId>();
    await fixture.record({
      type: "organization.added",
      aggregateId: id,
      resourceOwner: id,
      payload: { name },
    });
  }
  await update();
  const dump = () => read((tx) => tx.all("SELECT id, folded_name FROM stored_organizations ORDER BY id"));
  const updated = await dump();
  await fixture.rebuild();
  expect(await dump()).toEqual(updated);
  const found = await Promise.all(names.map((name) => read((tx) => findOrganizationByName(tx, name))));
  expect(found.map((organization) => organization?.name)).toEqual(names);
  expect(await read((tx) => isOrganizationNameTaken(tx, "CAFE\u0301"))).toBe(true);
});

test("what a process of the earlier version has written since is found by its spelling", async () => {
  const spelling = `late${blank}r`;
  const ids = await addUsers(spelling);
  await fixture.database.write((tx) =>
    tx.run("UPDATE stored_users SET folded_username = ? WHERE username = ?", [spelling, spelling]),
  );
  expect(await find(spelling)).toBe(ids[spelling]);
});

test("a project whose name another one has, too, is changed in everything else, and gets no such name anew", async () => {
  const commands = createProjectCommands(fixture.context);
  const ids: ProjectId[] = [];
  for (const name of ["Portal", `Por${blank}tal`]) {
    const id = fixture.context.ids.next<ProjectId>();
    ids.push(id);
    const added: NewEvent = {
      type: "project.added",
      aggregateId: id,
      resourceOwner: home,
      payload: { ...projectPayload(), name },
    };
    await fixture.record(added);
  }
  const call = callAs(home, { permission: "project.write" });
  const [plain = "", hiding = ""] = ids;
  const put = (id: string, name: string) =>
    commands.update(call, id, projectSettings({ name, projectRoleAssertion: true }));
  await put(plain, "Portal");
  await put(hiding, `Por${blank}tal`);
  await expect(put(hiding, `Port${blank}al`)).rejects.toMatchObject({ reason: "FIELD_INVALID" });
  await expect(put(hiding, "PORTAL")).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
  const stored = await read((tx) => getProject(tx, call.access, hiding));
  expect(stored).toMatchObject({ name: `Por${blank}tal`, projectRoleAssertion: true });
});

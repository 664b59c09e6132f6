import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { HumanProfile } from "../../../../src/identity/people/user/user.ts";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../../src/kernel/base/ids.ts";
import { addWords, type Hit } from "../../../../src/identity/search/word-repository.ts";
import { fillSearchWords } from "../../../../src/identity/instance/search-words.ts";
import { problemOf } from "../../../support/problems.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { humanProfile, humanUpdate } from "../../../support/samples.ts";

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.close());

const add = async (username: string, profile: Partial<HumanProfile> = {}) => {
  const names = { givenName: "-", familyName: "-", displayName: "", email: "", phone: "" };
  const added = await fixture.commands.addHuman(
    fixture.call(),
    humanProfile({ ...names, ...profile, username }),
  );
  return added.id;
};
const page = { pageSize: 0, pageToken: "", countTotal: true };
const search = (text: string, request: Partial<typeof page> = {}, state?: "ACTIVE" | "LOCKED") =>
  fixture.commands.list(fixture.call(), { search: text, state }, { ...page, ...request });
const namesOf = async (...asked: Parameters<typeof search>) =>
  (await search(...asked)).page.items.map(({ username }) => username);
const words = () => fixture.read((tx) => tx.all<Hit>("SELECT word, id FROM user_words ORDER BY word, id"));

describe("a search finds users", () => {
  test("by the beginning of a word of their username, email, given, family or display name", async () => {
    await add("grace.hopper");
    await add("u1", { givenName: "Ada", familyName: "Lovelace" });
    await add("u2", { displayName: "Augusta Ada King" });
    await add("u3", { email: "ada.byron@Example.com" });
    await add("u4", { familyName: "O'Adair" });
    expect(await namesOf("hop")).toEqual(["grace.hopper"]);
    expect(await namesOf("ADA")).toEqual(["u3", "u4", "u1", "u2"]); // - -, - O'Adair, Ada Lovelace, Augusta Ada King
    expect(await namesOf("lov ad")).toEqual(["u1"]);
    expect(await namesOf("ada adak king")).toEqual([]);
    expect(await namesOf("king ada a")).toEqual(["u2"]);
    expect(await namesOf("o'adair")).toEqual(["u4"]);
    expect(await namesOf("dair")).toEqual([]);
    expect(await namesOf("!")).toEqual([]);
    expect(await namesOf("admin")).toEqual(["admin"]); // a service user
  });

  test("by an id, an email address or a phone number in full, and not by its beginning or its domain", async () => {
    const id = await add("u1", { email: "Ada@Example.com", phone: "+41791234567" });
    await add("u2", { email: "bob@example.com" });
    for (const text of [id, "ada@example.com", " ADA@EXAMPLE.COM ", "+41 79 123 45 67", "ada"])
      expect([text, await namesOf(text)]).toEqual([text, ["u1"]]);
    for (const text of [id.slice(0, -1), "ada@example", "example", "+41 79 123 45 6", "41791234567"])
      expect([text, await namesOf(text)]).toEqual([text, []]);
  });

  test("of the organization alone, and in a state if one is asked for", async () => {
    const id = await add("ada");
    const elsewhere = {
      ...fixture.call(),
      access: { ...fixture.call().access, organizationId: toId<OrganizationId>("77") },
    };
    const other = await fixture.commands.list(elsewhere, { search: "ada" }, page);
    expect(other.page).toMatchObject({ items: [], totalResult: 0 });
    await fixture.commands.changeState(fixture.call(), id, "lock");
    expect([await namesOf("ada", {}, "ACTIVE"), await namesOf("ada", {}, "LOCKED")]).toEqual([[], ["ada"]]);
  });
});

test("what finds a user changes with them, and goes with them", async () => {
  const id = await add("ada", { email: "ada@example.com", phone: "+41791234567" });
  await fixture.commands.updateHuman(
    fixture.call(),
    id,
    humanUpdate({ username: "augusta", email: "a.king@example.com" }),
  );
  expect([await namesOf("ada@example.com"), await namesOf("a.king@example.com")]).toEqual([[], ["augusta"]]);
  await fixture.commands.emails.set(fixture.call(), {
    userId: id,
    email: "countess@example.com",
    verification: "is-verified",
  });
  expect([await namesOf("king@example.com"), await namesOf("countess")]).toEqual([[], ["augusta"]]);
  await fixture.commands.phones.remove(fixture.call(), id);
  expect(await namesOf("+41791234567")).toEqual([]);
  const before = await words();
  await fixture.rebuild();
  expect(await words()).toEqual(before);
  await fixture.commands.remove(fixture.call(), id);
  expect((await words()).filter((row) => row.id === id)).toEqual([]);
});

test("users of an earlier version are found after the first start, and in a shared database what it does for a day after later ones", async () => {
  const isShared = fixture.context.database.refresh() !== undefined;
  const id = await add("ada", { email: "ada@example.com" });
  const before = await words();
  await fixture.context.database.write((tx) => tx.run("DELETE FROM user_words"));
  await fillSearchWords(fixture.context);
  expect(await words()).toEqual(before);
  /** Changes the row as a process of that version does. */
  const rename = async (username: string) => {
    await fixture.commands.updateHuman(fixture.call(), id, humanUpdate({ username }));
    await fixture.context.database.write((tx) => tx.run("DELETE FROM user_words WHERE id = ?", [id]));
  };
  await rename("augusta");
  await fillSearchWords(fixture.context);
  expect(await namesOf("augusta")).toEqual(isShared ? ["augusta"] : []);
  fixture.clock.advance(25 * 60 * 60 * 1000);
  await rename("byron");
  await fillSearchWords(fixture.context);
  expect(await namesOf("byron")).toEqual(isShared ? ["byron"] : []);
  await rename("lovelace");
  await fillSearchWords(fixture.context); // never again
  expect(await namesOf("lovelace")).toEqual([]);
  const other = await add("grace");
  await fixture.context.database.write((tx) => tx.run("DELETE FROM stored_users WHERE id = ?", [other])); // as it removes one
  expect(await words()).toEqual(before.filter((row) => row.id !== id));
});

describe("pages of a search", () => {
  /** Reads all pages, and returns the usernames of each. */
  const readAll = async (text: string, pageSize: number) => {
    const pages: (readonly string[])[] = [];
    let pageToken = "";
    do {
      const { page: next } = await search(text, { pageSize, pageToken });
      pages.push(next.items.map(({ username }) => username));
      pageToken = next.nextPageToken;
    } while (pageToken !== "");
    return pages;
  };

  test("are in the order of names where few are found, each user once", async () => {
    for (const [index, name] of ["Zoe", "ann", "Anne", "Bob", "Anna"].entries())
      await add(`anton${index}`, { displayName: `${name} Anders` });
    expect(await readAll("an", 2)).toEqual([["anton1", "anton4"], ["anton2", "anton3"], ["anton0"]]);
    expect((await search("an", { pageSize: 2 })).page).toMatchObject({ totalResult: 5, isLowerBound: false });
  });

  test("are in the order of words where many are found, and the total is a lower bound", async () => {
    const numbers = Array.from({ length: 1203 }, (_, index) => String(index).padStart(4, "0"));
    await fixture.context.database.write(async (tx) => {
      for (const number of numbers)
        await insert(tx, number, [`many${number}`, "many", ...(number.endsWith("7") ? ["seven"] : [])]);
    });
    const pages = await readAll("many", 500);
    expect(pages.map((each) => each.length)).toEqual([500, 500, 203]);
    expect(pages.flat()).toEqual(numbers.map((number) => `u${number}`));
    expect((await search("many")).page).toMatchObject({ totalResult: 1000, isLowerBound: true });
    expect((await search("many seven")).page).toMatchObject({ totalResult: 120, isLowerBound: false });
    expect((await readAll("sev many", 50)).flat()).toHaveLength(120);
  });

  /** Stores a user without events: a thousand of them would take a second. */
  const insert = async (tx: WriteTransaction, number: string, entries: readonly string[]) => {
    const id = `1${number}`;
    await tx.run(
      `INSERT INTO stored_users (id, creation_date, resource_owner, state, kind, username, folded_username, sequence, is_email_verified,
         is_phone_verified) VALUES (?, 1, ?, 'ACTIVE', 'human', ?, ?, 1, 0, 0)`,
      [id, fixture.organizationId, `u${number}`, `u${number}`],
    );
    await addWords(tx, "user_words", { id, ownerIds: [fixture.organizationId], words: entries });
  };

  test("have tokens that say nothing, and fit the same search alone", async () => {
    for (const name of ["ada1", "ada2", "adam"]) await add(name, { displayName: name });
    const { nextPageToken } = (await search("ada", { pageSize: 1 })).page;
    expect(Buffer.from(nextPageToken.split(".")[1] ?? "", "base64url").toString("latin1")).not.toMatch(
      /ada|name/,
    );
    expect(await namesOf("ada", { pageToken: nextPageToken })).toEqual(["ada2", "adam"]);
    for (const [text, pageToken] of [
      ["adam", nextPageToken],
      ["ada", `${nextPageToken}x`],
      ["ada", "x"],
      ["ada", "a.b.c"],
    ] as const)
      expect(await problemOf(search(text, { pageToken }))).toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
  });
});

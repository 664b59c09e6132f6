import { create } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "@jest/globals";
import { array, assert, asyncProperty, constantFrom, string, tuple } from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type WriteResult, WriteResultSchema } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { readCsv } from "../../src/importing/generic/csv.ts";
import { userFields } from "../../src/importing/generic/values.ts";
import { toBatches } from "../../src/console/pages/users/import/batches.ts";
import { parseCsv } from "../../src/console/pages/users/import/csv.ts";
import { columns, type People, readPeople } from "../../src/console/pages/users/import/people.ts";
import { importTexts, toSentence } from "../../src/console/pages/users/import/texts.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";

const folder = makeTemporaryFolder();
afterAll(() => folder.remove());

const everything = { importsIds: true, vouches: true, setsHashes: true };
const nothing = { importsIds: false, vouches: false, setsHashes: false };
const read = (lines: readonly string[], rights = everything): People =>
  readPeople(parseCsv(lines.join("\n")), rights);
const header = "id,username,given_name,family_name,email";
const said = (people: People) =>
  people.faulty.map(({ line, faults }) => [line, ...faults.map(({ kind }) => kind)]);

describe("a CSV file in the console", () => {
  test("has the columns of gatehouse import generic", () => {
    expect(columns).toEqual(userFields);
  });

  test("is read as gatehouse import generic reads it", async () => {
    const cell = string({ unit: constantFrom("a", "ä", " ", ",", ";", "\t", '"', "\n", "\r\n") });
    const separator = constantFrom(",", ";", "\t");
    const table = tuple(separator, constantFrom("\n", "\r\n"), array(tuple(cell, cell, cell)));
    let files = 0;
    await assert(
      asyncProperty(table, async ([by, end, rows]) => {
        const toCell = (text: string) =>
          /[,;\t"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const text = [["id", "username", "email"], ...rows].map((row) => row.map(toCell).join(by)).join(end);
        const file = join(folder.path, `${++files}.csv`);
        writeFileSync(file, text);
        const expected: unknown[] = [];
        for await (const user of readCsv(file))
          expected.push(user.kind === "user" ? [user.oldId, user.username, user.email] : user.text);
        const [, ...own] = parseCsv(text).rows;
        expect(own.map(({ values }) => values.map((value) => value.trim()))).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  test("is read up to its first fault, which is a line of the report", () => {
    expect(said(read([header, "1,a,A,B,a@b", '2,"b,A,B,b@b']))).toEqual([[3, "openQuote"]]);
    expect(said(read([header, "1,a,A,B,a@b", '2,"b"c,A,B,b@b', "3,c,A,B,c@b"]))).toEqual([[3, "strayQuote"]]);
    expect(said(read([header, '1,a"c,A,B,a@b']))).toEqual([[2, "strayQuote"]]);
  });

  test.each([
    ["noHeader", ""],
    ["noId", "username,email"],
    ["columnTwice", "id,email,ID"],
  ])("is refused as a whole: %s", (kind, text) => {
    expect(read([text]).fault?.kind).toBe(kind);
  });
});

describe("a row", () => {
  test("that cannot become a person is named by its line, with the reason", () => {
    const rows = [
      `${header},state,email_verified,roles,metadata`,
      "1,ada,Ada,Byron,ada@b,,,,",
      "1,bob,Bob,Byron,bob@b,,,,",
      "2,ADA,Ada,Byron,eve@b,,,,",
      "3,joe,Joe,Byron,,,,,",
      ",kim,Kim,Byron,kim@b,,,,",
      "4,lee,Lee,Byron,lee@b,gone,,,",
      "5,max,Max,Byron,max@b,,perhaps,,",
      "6,ned,Ned,Byron,ned@b,,,admin,",
      "7,obi,Obi,Byron,obi@b,,,,[1]",
      "8,pip",
      "9,qu\u{fffd},Q,Byron,q@b,,,,",
    ];
    const people = read(rows);
    expect(people.people.map(({ oldId }) => oldId)).toEqual(["1"]);
    expect(said(people)).toEqual([
      [3, "idTwice"],
      [4, "usernameTwice"],
      [5, "noEmail"],
      [6, "emptyId"],
      [7, "badState"],
      [8, "badFlag"],
      [9, "badRole"],
      [10, "badMetadata"],
      [11, "wrongLength"],
      [12, "notUtf8"],
    ]);
    for (const { kind } of people.faulty.flatMap(({ faults }) => faults))
      for (const texts of [importTexts.en, importTexts.de])
        expect(Object.keys(texts.sentences)).toContain(kind);
    expect(toSentence(importTexts.en, { kind: "idTwice", value: "2" })).toBe("Line 2 has the same id.");
  });

  const rich = [
    `${header},email_verified,phone_verified,password_hash,totp_secret`,
    "1,,,,ada@b,true,true,$2b$10$x,AAAA",
  ];
  const kindsOf = ({ people }: People) => people[0]?.remarks.map(({ kind }) => kind);

  test("comes with what the user of the console may set", () => {
    const people = read(rich);
    expect(people.people[0]?.request).toMatchObject({
      username: "ada@b",
      givenName: "-",
      familyName: "-",
      importedId: "1",
      emailVerification: { case: "isVerified", value: true },
      firstPassword: { case: "passwordHash", value: "$2b$10$x" },
    });
    expect(kindsOf(people)).toEqual(["withoutTotp", "phoneUnverified", "namesFilled"]);
  });

  test("comes without what they may not set, and says so", () => {
    const people = read(rich, nothing);
    for (const name of ["importedId", "emailVerification", "firstPassword"])
      expect(people.people[0]?.request).not.toHaveProperty(name);
    expect(kindsOf(people)).toEqual([
      "withoutTotp",
      "phoneUnverified",
      "emailUnverified",
      "withoutPassword",
      "namesFilled",
    ]);
  });
});

describe("batches", () => {
  const names = { groups: new Map([["Staff", "11"]]), projects: new Map([["Shop", "12"]]) };
  const done = create(WriteResultSchema, { result: { case: "addHumanUser", value: { userId: "1" } } });
  const failed = (reason: string, message: string): WriteResult =>
    create(WriteResultSchema, {
      result: {
        case: "error",
        value: { message, details: [anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason }))] },
      },
    });

  test("have what belongs to a person behind the person, and say what failed of it", () => {
    const { people } = read([
      `${header},state,groups,roles,metadata`,
      `1,ada,Ada,Byron,ada@b,locked,Staff;Guests,Shop/admin;Shop/buyer;Nowhere/x,"{""a"":""b""}"`,
      "2,bob,Bob,Byron,bob@b,inactive,,,",
    ]);
    const [batch] = toBatches(people, names);
    expect(batch?.items.map(({ request }) => request?.case)).toEqual([
      "addHumanUser",
      "bulkSetUserMetadata",
      "addGroupMembers",
      "addUserGrant",
      "lockUser",
      "addHumanUser",
      "deactivateUser",
    ]);
    expect(batch?.items[3]?.request).toMatchObject({
      value: { userId: "bulkId:line-2", projectId: "12", roleKeys: ["admin", "buyer"] },
    });
    const taken = failed("ALREADY_EXISTS", "there is one");
    const results = [done, done, failed("PERMISSION_DENIED", "no"), done, done, taken, taken];
    expect(batch?.read(results)).toEqual([
      {
        kind: "new",
        remarks: [
          { kind: "noGroup", value: "Guests" },
          { kind: "noProject", value: "Nowhere" },
          { kind: "withoutGroup", value: "Staff" },
          { kind: "service", value: "no" },
        ],
      },
      { kind: "taken", message: "there is one" },
    ]);
  });

  test("have at most 200 people and 1,000 changes", () => {
    const row = (index: number, roles: string) => `${index},u${index},A,B,u${index}@b,${roles}`;
    const many = Array.from({ length: 450 }, (_, index) => row(index, "Shop/a"));
    const sizes = (lines: readonly string[], projects: ReadonlyMap<string, string>) =>
      toBatches(read([`${header},roles`, ...lines]).people, { ...names, projects }).map(
        ({ items }) => items.length,
      );
    expect(sizes(many, names.projects)).toEqual([400, 400, 100]);
    const projects = new Map(Array.from({ length: 99 }, (_, index) => [`P${index}`, `${index}`]));
    const roles = [...projects.keys()].map((name) => `${name}/a`).join(";");
    expect(
      sizes(
        many.slice(0, 11).map((_, index) => row(index, roles)),
        projects,
      ),
    ).toEqual([1000, 100]);
  });
});

import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import Sqlite from "better-sqlite3";
import { createAllKinds } from "./support/all-kinds.ts";
import { toPattern } from "./support/lines.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { onSmallDisk } from "./support/small-disk.ts";
import { asOrdinaryUser, giveToOrdinaryUser, ordinaryUser } from "./support/unprivileged.ts";

const createPlace = usePlaces();
const checks = [
  "folder",
  "modes",
  "admin token",
  "disk",
  "schema",
  "SQLite",
  "integrity",
  "references",
  "checksums",
  "event order",
  "clock",
  "SAML certificates",
  "ways in",
  "master key",
  "secrets",
  "sealed values",
  "tables",
  "mail",
  "SMS",
  "passwords",
];

/** Every file with its hash, to see that nothing was written. */
const stateOf = (place: Place) =>
  readdirSync(place.path)
    .toSorted()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(place.file(name)))
        .digest("hex"),
    ]);
const linesOf = (stdout: string) => stdout.trimEnd().split("\n");
const notOk = (stdout: string) => linesOf(stdout).filter((line) => !line.startsWith("ok      "));

let template: Place;
let userId: string;

beforeAll(async () => {
  template = createPlace();
  const serving = await template.serve(["--dev"]);
  ({ userId } = await createAllKinds(template.connect(serving)));
  expect(await serving.stop()).toBe(0);
});

function createUsedPlace(): Place {
  const place = createPlace();
  cpSync(template.path, place.path, { recursive: true });
  return place;
}

describe("gatehouse doctor on a folder that is well", () => {
  const well = (place: Place) => ({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(
      new RegExp(`^${checks.map((check) => `ok {6}${check}: [^\n]+\n`).join("")}$`),
    ),
    path: place.path,
  });
  const examine = async (place: Place) => ({ ...(await place.run(["doctor"])), path: place.path });

  test("says so of each check, and writes nothing to the folder", async () => {
    const place = createUsedPlace();
    const before = stateOf(place);
    expect(await examine(place)).toEqual(well(place));
    expect(stateOf(place)).toEqual(before);
  });

  test("does not disturb a service that runs, nor one that starts later", async () => {
    const place = createUsedPlace();
    const serving = await place.serve();
    const before = stateOf(place);
    expect(await examine(place)).toEqual(well(place));
    expect(stateOf(place).filter(([name]) => name !== "gatehouse.db-shm")).toEqual(
      before.filter(([name]) => name !== "gatehouse.db-shm"), // where readers say what they read
    );
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
    await serving.kill();
    expect(await examine(place)).toEqual(well(place));
    expect(await (await place.serve()).stop()).toBe(0);
  });

  test("copies it into the folder where the folder for temporary files is missing, or too small", async () => {
    const place = createUsedPlace();
    const before = stateOf(place);
    const missing = { TMPDIR: "/nowhere" };
    expect({ ...(await place.run(["doctor"], missing)), path: place.path }).toEqual(well(place));
    const small = `${place.path}.tmp`;
    const through = onSmallDisk(small, "64k");
    expect({ ...(await place.run(["doctor"], { TMPDIR: small }, { through })), path: place.path }).toEqual(
      well(place),
    );
    expect((await place.run(["events", "--limit", "1"], missing)).code).toBe(0);
    expect(stateOf(place)).toEqual(before);
    rmSync(small, { recursive: true });
  });

  test("says nothing about a database of which there can be no copy, but how many bytes that takes", async () => {
    const place = createUsedPlace();
    giveToOrdinaryUser(place.path);
    chmodSync(place.path, 0o500);
    const environment = { TMPDIR: "/nowhere" };
    const { code, stdout, stderr } = await place.run(["doctor"], environment, asOrdinaryUser);
    expect(code).toBe(1);
    expect(stdout).not.toMatch(/FAILED|database|integrity|tables/);
    const sentence =
      /^gatehouse: this command works on a copy of the database, which needs \d+ bytes; neither [^\n]*\n$/;
    expect(stderr).toMatch(sentence);
    const events = await place.run(["events"], environment, asOrdinaryUser);
    chmodSync(place.path, 0o700);
    expect(events).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(sentence) });
  });

  test("reads a folder that may only be read", async () => {
    const place = createUsedPlace();
    giveToOrdinaryUser(place.path);
    chmodSync(place.path, 0o500);
    const { code, stdout } = await place.run(["doctor"], {}, asOrdinaryUser);
    chmodSync(place.path, 0o700);
    expect(code).toBe(0);
    expect(notOk(stdout)).toEqual([
      `warning folder: this user cannot serve from it: ${place.path} cannot be used: EACCES: ${place.path} is not accessible to user ${ordinaryUser}, its owner; change its mode with chmod`,
      expect.stringMatching(/^warning mail: this user cannot write to .*: EACCES$/),
    ]);
  });
});

describe("gatehouse doctor", () => {
  interface Case {
    readonly name: string;
    readonly damage: (place: Place) => void;
    /** The lines that are not ok, with DATA for the folder and USER for a user. */
    readonly found: readonly (string | RegExp)[];
  }

  const inDatabase = (place: Place, ...statements: readonly string[]) => {
    const database = new Sqlite(place.file("gatehouse.db"));
    database.pragma("foreign_keys = OFF");
    for (const sql of statements)
      expect(database.prepare(sql.replaceAll("USER", userId)).run().changes).toBeGreaterThan(0);
    database.close();
  };
  const cases: readonly Case[] = [
    {
      name: "a master key that is missing",
      damage: (place) => rmSync(place.file("master.key")),
      found: ["FAILED  master key: DATA/master.key is missing; restore it from your copy"],
    },
    {
      name: "a master key of another folder under the same id",
      damage(place) {
        const [id] = readFileSync(place.file("master.key"), "utf8").split(" ");
        writeFileSync(place.file("master.key"), `${id} ${Buffer.alloc(32, 7).toString("base64")}\n`);
      },
      found: [
        /^FAILED {2}master key: the key \w+ differs from the original; restore the right key file$/,
        /^FAILED {2}secrets: \d+ of \d+ cannot be opened, the first is client-secret:\d+; restore a backup$/,
        "warning tables: not compared with the log, which cannot be read without the right key",
      ],
    },
    {
      name: "a master key that is damaged",
      damage: (place) => writeFileSync(place.file("master.key"), "half"),
      found: [
        'FAILED  master key: DATA/master.key is damaged: line 1 is not of the form "<key id> <base64 of 32 bytes>"',
      ],
    },
    {
      name: "tables that are not what the log says",
      damage: (place) =>
        inDatabase(place, "UPDATE stored_projects SET name = 'x'", "DELETE FROM user_grant_roles"),
      found: [
        /^FAILED {2}tables: rows that differ from the log: stored_projects \(\d+\), user_grant_roles \(\d+\); stop the service, make a backup, and run gatehouse rebuild$/,
      ],
    },
    {
      name: "rows that refer to nothing",
      damage: (place) => inDatabase(place, "DELETE FROM project_roles", "DELETE FROM stored_projects"),
      found: [
        /^FAILED {2}references: \d+ rows refer to missing rows \([a-z_, ]+\); stop the service, make a backup, and run gatehouse rebuild$/,
        /^FAILED {2}tables: rows that differ from the log: stored_projects \(\d+\), project_roles \(\d+\); /,
      ],
    },
    {
      name: "an event that is gone",
      damage: (place) =>
        inDatabase(
          place,
          // Of a user whose phone was set again: the tables stay as they are.
          "DELETE FROM events WHERE sequence = (SELECT MIN(e.sequence) FROM events e JOIN users u ON u.id = e.aggregate_id JOIN events later ON later.aggregate_id = e.aggregate_id AND later.type = e.type AND later.sequence > e.sequence WHERE e.type = 'user.phone.set')",
        ),
      found: [/^FAILED {2}event order: \d+ of \d+ events are out of the order of their revisions/],
    },
    {
      name: "an event that cannot be read",
      damage: (place) =>
        inDatabase(
          place,
          "UPDATE events SET personal = randomblob(60) WHERE type = 'user.added' AND aggregate_id = 'USER'",
        ),
      found: [
        /^FAILED {2}checksums: 1 of \d+ rows have changed since they were written, the first is the event \d+; restore a backup$/,
        /^FAILED {2}sealed values: 1 values cannot be read, the first is personal of the event \d+; restore a backup$/,
        /^FAILED {2}tables: the event \d+ \(user\.added of USER\) cannot be applied: [^;]+; restore a backup$/,
      ],
    },
    {
      name: "a secret that was changed",
      damage: (place) =>
        inDatabase(
          place,
          "UPDATE secrets SET value = randomblob(60) WHERE id = (SELECT min(id) FROM secrets WHERE id LIKE 'client-secret:%')",
        ),
      found: [
        /^FAILED {2}checksums: 1 of \d+ rows have changed since they were written, the first is the secret client-secret:\d+; restore a backup$/,
        /^FAILED {2}secrets: 1 of \d+ cannot be opened, the first is client-secret:\d+; restore a backup$/,
      ],
    },
    {
      name: "a token without its hash",
      damage: (place) =>
        inDatabase(
          place,
          "DELETE FROM secrets WHERE id = (SELECT id FROM secrets WHERE id LIKE 'token:%' LIMIT 1)",
        ),
      found: ["FAILED  secrets: 1 tokens and secrets have no hash, so nobody can use them; restore a backup"],
    },
    {
      name: "an event whose remote address is said to be in one that is not there",
      damage: (place) =>
        inDatabase(
          place,
          "UPDATE events SET remote_address_of = 1 WHERE sequence = (SELECT MAX(sequence) FROM events)",
        ),
      found: [
        /^FAILED {2}references: 1 rows refer to missing rows \(events to events\); restore a backup$/,
        /^FAILED {2}checksums: 1 of \d+ rows have changed since they were written, the first is the event \d+; restore a backup$/,
      ],
    },
    {
      name: "a log ahead of the clock",
      damage: (place) =>
        inDatabase(
          place,
          `UPDATE events SET sequence = sequence + 7200000000, date = date + 7200000000,
             remote_address_of = remote_address_of + 7200000000, checksum = NULL`,
        ),
      found: [
        /^warning clock: the last event is 7\d{3} s in the future; correct the clock, or wait until then$/,
        /^FAILED {2}tables: /, // which have the sequences of before
      ],
    },
    {
      name: "a file that was cut",
      damage: (place) => truncateSync(place.file("gatehouse.db"), 40_960),
      found: [
        /^FAILED {2}database: DATA\/gatehouse\.db cannot be (read|opened): database disk image is malformed; restore a backup$/,
      ],
    },
    {
      name: "a file with a damaged page",
      damage(place) {
        const bytes = readFileSync(place.file("gatehouse.db"));
        bytes.fill(0xa5, 4096 * 12, 4096 * 13);
        writeFileSync(place.file("gatehouse.db"), bytes);
      },
      found: [
        /^FAILED {2}integrity: (\d+ or more faults, the first: .*|not done: database disk image is malformed); restore a backup$/,
        "warning contents: not checked, because the file is damaged",
      ],
    },
    {
      name: "a database of a newer version",
      damage: (place) => inDatabase(place, "INSERT INTO migrations (version, date) VALUES (999, 0)"),
      found: [
        /^FAILED {2}database: the database has version 999, but this program supports only versions up to \d+; run a newer program, /,
      ],
    },
    {
      name: "an outbox that the service does not write to",
      damage(place) {
        rmSync(place.file("mail.jsonl"), { force: true });
        symlinkSync("admin.token", place.file("mail.jsonl"));
      },
      found: ["FAILED  mail: DATA/mail.jsonl is no file, so messages are lost; move it away"],
    },
    {
      name: "files that others may use",
      damage(place) {
        chmodSync(place.file("gatehouse.db"), 0o640);
        chmodSync(place.file("admin.token"), 0o644);
      },
      found: [
        "warning modes: DATA/gatehouse.db has mode 640, so users other than its owner can access it; run chmod 600 on it",
        "FAILED  modes: DATA/admin.token has mode 644, so users other than its owner can access it; run chmod 600 on it",
      ],
    },
  ];

  const outcomes = new Map<string, ReturnType<typeof tryCase>>();

  beforeAll(() => {
    for (const each of cases) outcomes.set(each.name, tryCase(each));
  });

  test.each(cases)(
    "finds $name, and writes nothing",
    async ({ name, found }) => {
      const outcome = await outcomes.get(name);
      expect(outcome).toMatchObject({ code: 1, stderr: "" });
      expect(outcome?.lines).toEqual(found.map((each) => expect.stringMatching(toPattern(localize(each)))));
      expect(outcome?.after).toEqual(outcome?.before);
    },
    60_000,
  );

  const localize = (line: string | RegExp) =>
    line instanceof RegExp ? new RegExp(line.source.replaceAll("USER", userId)) : line;

  async function tryCase({ damage }: Case) {
    const place = createUsedPlace();
    damage(place);
    const before = stateOf(place);
    const { code, stdout, stderr } = await place.run(["doctor"]);
    const lines = notOk(stdout.replaceAll(place.path, "DATA"));
    return { code, stderr, lines, before, after: stateOf(place) };
  }

  test("says what messages go out with, by the settings that it gets, and what is missing", async () => {
    const place = createUsedPlace();
    const sender = ["--smtp-from", "no-reply@example.com"];
    const asked = ["doctor", "--mail-provider", "smtp", ...sender];
    const wrong = await place.run(asked);
    expect(wrong.code).toBe(1);
    expect(notOk(wrong.stdout)).toEqual([
      "FAILED  settings: the settings are wrong: --mail-provider smtp needs GATEHOUSE_SMTP_URL",
    ]);
    const right = await place.run([...asked, "--smtp-url", "smtp://mail.example.com"]);
    expect(right.code).toBe(0);
    expect(linesOf(right.stdout).slice(-3)).toEqual([
      "ok      mail: sent to the server mail.example.com, port 587, with STARTTLS",
      "ok      SMS: no provider is set, so codes are only returned to the callers who ask for them",
      "ok      passwords: no list of breached passwords is set (--breached-passwords), so only common ones are refused",
    ]);
  });

  test("says in one line that there is nothing to examine", async () => {
    const empty = createPlace();
    expect(await empty.run(["doctor"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: there is no ${empty.file("gatehouse.db")}\n`,
    });
    writeFileSync(empty.path, "");
    expect(await empty.run(["doctor"])).toMatchObject({
      code: 1,
      stderr: `gatehouse: ${empty.path} is a file\n`,
    });
  });

  test("mends nothing, but a rebuild does, and names an event that it cannot apply", async () => {
    const place = createUsedPlace();
    inDatabase(place, "UPDATE stored_projects SET name = 'x'");
    expect((await place.run(["rebuild"])).code).toBe(0);
    expect((await place.run(["doctor"])).code).toBe(0);
    inDatabase(place, "UPDATE events SET type = 'project.moved' WHERE type = 'project.changed'");
    expect(await place.run(["rebuild"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^gatehouse: the event \d+ \(project\.moved of \d+\) cannot be applied: [^\n]+\n$/,
      ),
    });
  });
});

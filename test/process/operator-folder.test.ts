import { beforeAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import type { Launch } from "../support/process.ts";
import { type Finished, type Place, usePlaces, useServedPlaces } from "./support/place.ts";
import { toPattern } from "./support/lines.ts";
import { asOrdinaryUser, giveToOrdinaryUser, ordinaryUser } from "./support/unprivileged.ts";

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);

interface Case {
  readonly name: string;
  /** What the operator did wrong, and how they mend it. */
  readonly damage: (place: Place) => void;
  readonly mend: (place: Place) => void;
  readonly launch?: Launch;
  /** With DATA for the folder. */
  readonly message: string | RegExp;
}

const isRoot = process.getuid?.() === 0;
const otherKey = `k2 ${Buffer.alloc(32, 7).toString("base64")}\n`;
const inDatabase = (place: Place, sql: string) => {
  const database = new Sqlite(place.file("gatehouse.db"));
  database.exec(sql);
  database.close();
};
const keep = (place: Place, name: string) => renameSync(place.file(name), `${place.path}.${name}`);
const giveBack = (place: Place, name: string) => renameSync(`${place.path}.${name}`, place.file(name));

const cases: readonly Case[] = [
  {
    name: "a master key that is missing",
    damage: (place) => keep(place, "master.key"),
    mend: (place) => giveBack(place, "master.key"),
    message:
      "DATA/master.key is missing; without it DATA/gatehouse.db cannot be read. Restore it from a backup",
  },
  {
    name: "a master key of another folder",
    damage(place) {
      keep(place, "master.key");
      writeFileSync(place.file("master.key"), otherKey, { mode: 0o600 });
    },
    mend: (place) => giveBack(place, "master.key"),
    message: /^the key file is wrong: the key \w+ that the database was used with is missing$/,
  },
  {
    name: "a master key that is damaged",
    damage(place) {
      keep(place, "master.key");
      writeFileSync(place.file("master.key"), "k2 half", { mode: 0o600 });
    },
    mend: (place) => giveBack(place, "master.key"),
    message: 'DATA/master.key is damaged: line 1 is not of the form "<key id> <base64 of 32 bytes>"',
  },
  {
    name: "a master key that every user may read",
    damage: (place) => chmodSync(place.file("master.key"), 0o644),
    mend: (place) => chmodSync(place.file("master.key"), 0o600),
    message:
      "DATA/master.key can be read by every user of this machine; run chmod 600 on it, and assume that they know the key",
  },
  {
    name: "a database of a newer version",
    damage: (place) => inDatabase(place, "INSERT INTO migrations (version, date) VALUES (999, 0)"),
    mend: (place) => inDatabase(place, "DELETE FROM migrations WHERE version = 999"),
    message:
      /^the database has version 999, but this program supports only versions up to \d+; run a newer program, or restore a backup$/,
  },
  {
    name: "a file that is no database",
    damage(place) {
      keep(place, "gatehouse.db");
      writeFileSync(place.file("gatehouse.db"), "no database ".repeat(1000));
    },
    mend: (place) => giveBack(place, "gatehouse.db"),
    message: "DATA/gatehouse.db cannot be opened: file is not a database",
  },
  {
    name: "a database of another program",
    damage(place) {
      keep(place, "gatehouse.db");
      inDatabase(place, "CREATE TABLE songs (title TEXT)");
    },
    mend: (place) => giveBack(place, "gatehouse.db"),
    message: "DATA/gatehouse.db cannot be opened: it belongs to another program",
  },
  {
    name: "a database that was cut",
    damage(place) {
      keep(place, "gatehouse.db");
      writeFileSync(place.file("gatehouse.db"), readFileSync(`${place.path}.gatehouse.db`));
      truncateSync(place.file("gatehouse.db"), 20_000);
    },
    mend: (place) => giveBack(place, "gatehouse.db"),
    message: "DATA/gatehouse.db cannot be opened: database disk image is malformed",
  },
  {
    name: "changes without their database",
    damage(place) {
      keep(place, "gatehouse.db");
      writeFileSync(place.file("gatehouse.db-wal"), "frames");
    },
    mend(place) {
      giveBack(place, "gatehouse.db");
      rmSync(place.file("gatehouse.db-wal"));
    },
    message:
      "DATA/gatehouse.db-wal exists without its database; restore DATA/gatehouse.db, or remove DATA/gatehouse.db-wal",
  },
  {
    name: "a folder that may not be written to",
    damage: (place) => chmodSync(place.path, 0o500),
    mend: (place) => chmodSync(place.path, 0o700),
    launch: asOrdinaryUser,
    message: `DATA cannot be used: EACCES: DATA is not accessible to user ${ordinaryUser}, its owner; change its mode with chmod`,
  },
  {
    name: "a database that may not be written to",
    damage: (place) => chmodSync(place.file("gatehouse.db"), 0o400),
    mend: (place) => chmodSync(place.file("gatehouse.db"), 0o600),
    launch: asOrdinaryUser,
    message: `DATA/gatehouse.db cannot be used: EACCES: DATA/gatehouse.db is not accessible to user ${ordinaryUser}, its owner; change its mode with chmod`,
  },
];

/** Cases that only root can make, because only root gives files away. */
const casesOfRoot: readonly Case[] = [
  {
    name: "a folder of another user",
    damage: (place) => chownSync(place.path, 0, 0),
    mend: (place) => chownSync(place.path, ordinaryUser, ordinaryUser),
    launch: asOrdinaryUser,
    message: `DATA cannot be used: EACCES: DATA is not accessible to user ${ordinaryUser}; it belongs to user 0, run this command as that user`,
  },
  {
    name: "a folder of another user, for root",
    damage: () => {},
    mend: (place) => chownSync(place.file("gatehouse.db"), 0, 0),
    message: `DATA/gatehouse.db belongs to user ${ordinaryUser}; run this command as that user, not as root`,
  },
];

const allCases = [...cases, ...(isRoot ? casesOfRoot : [])];

describe("a start is refused with one line, and changes nothing, by", () => {
  const outcomes = new Map<string, ReturnType<typeof tryCase>>();

  beforeAll(async () => {
    await createServedPlace();
    for (const each of allCases) outcomes.set(each.name, tryCase(each));
  });

  test.each(allCases)(
    "$name",
    async ({ name, message }) => {
      const outcome = await outcomes.get(name);
      expect(outcome?.refused).toMatchObject({ code: 1, stdout: "" });
      expect(outcome?.line).toMatch(toPattern(message));
      expect(outcome?.after).toEqual(outcome?.before);
      expect(outcome?.mended).toMatchObject({ code: 0, stderr: "" });
    },
    60_000,
  );
});

async function tryCase({ damage, mend, launch = {} }: Case) {
  const place = await createServedPlace();
  const belongsToOrdinary = launch.user !== undefined || damage.length === 0;
  if (belongsToOrdinary) giveToOrdinaryUser(place.path);
  damage(place);
  const before = hashesOf(place);
  const refused = await place.run(["serve", "--listen", "127.0.0.1:0"], {}, launch);
  const after = hashesOf(place);
  mend(place);
  const mended: Finished = await place.run(["token", "create"], {}, launch);
  const line = /^gatehouse: (?<text>[^\n]*)\n$/.exec(refused.stderr)?.groups?.["text"];
  return { refused, line: (line ?? refused.stderr).replaceAll(place.path, "DATA"), before, after, mended };
}

/** The hash of every file but the index that SQLite makes anew. */
function hashesOf(place: Place): Readonly<Record<string, string>> {
  const names = readdirSync(place.path).filter((name) => name !== "gatehouse.db-shm");
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(place.file(name)))
        .digest("hex"),
    ]),
  );
}

describe("a first start is refused with one line, and leaves nothing behind,", () => {
  const refusalOf = async (place: Place, launch?: Launch) => {
    const { code, stderr } = await place.run(["serve", "--listen", "127.0.0.1:0"], {}, launch);
    return { code, stderr: stderr.replaceAll(place.path, "DATA").replaceAll(dirname(place.path), "ABOVE") };
  };
  const refused = (message: string) => ({ code: 1, stderr: `gatehouse: ${message}\n` });

  test("where the folder above is closed", async () => {
    const place = createPlace();
    mkdirSync(place.path);
    giveToOrdinaryUser(place.path);
    rmSync(place.path, { recursive: true });
    chmodSync(dirname(place.path), 0o555);
    expect(await refusalOf(place, asOrdinaryUser)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^gatehouse: the data folder DATA cannot be created: EACCES: DATA is not accessible to user \d+[^\n]*\n$/,
      ),
    });
    expect(existsSync(place.path)).toBe(false);
    chmodSync(dirname(place.path), 0o755);
  });

  test("where a link to nothing is, or a file", async () => {
    const [dangling, file] = [createPlace(), createPlace()];
    symlinkSync("nowhere", dangling.path);
    writeFileSync(file.path, "");
    const refusals = await Promise.all([refusalOf(dangling), refusalOf(file)]);
    expect(refusals).toEqual([
      refused("the data folder DATA cannot be created: DATA is a broken symbolic link"),
      refused("the data folder DATA cannot be created: DATA is a file"),
    ]);
    expect(readdirSync(dirname(dangling.path))).toEqual(["data"]);
  });

  test("when it cannot write the token of the administrator", async () => {
    const place = createPlace();
    mkdirSync(place.file("admin.token"), { recursive: true, mode: 0o700 });
    writeFileSync(place.file("admin.token/kept"), "");
    expect(await refusalOf(place)).toEqual(refused("DATA/admin.token cannot be written: EISDIR"));
    expect(readdirSync(place.path).toSorted()).toEqual(["admin.token", "gatehouse.lock"]);
    rmSync(place.file("admin.token"), { recursive: true });
    expect(await (await place.serve()).stop()).toBe(0);
  });
});

describe("a start goes on, and says so in its log,", () => {
  test("when others may look at files or change the folder", async () => {
    const place = await createServedPlace();
    chmodSync(place.path, 0o770);
    chmodSync(place.file("admin.token"), 0o644);
    chmodSync(place.file("master.key"), 0o640);
    const serving = await place.serve();
    expect(await serving.stop()).toBe(0);
    const lines = serving
      .stderr()
      .split("\n")
      .filter((line) => line.includes("data_folder.open_to_others"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { file: place.path, mode: "770", level: 40 },
      { file: place.file("master.key"), mode: "640" },
      { file: place.file("admin.token"), mode: "644" },
    ]);
  });

  test("through a link to the folder", async () => {
    const place = await createServedPlace();
    const link = createPlace();
    symlinkSync(place.path, link.path);
    expect(await (await link.serve()).stop()).toBe(0);
    expect(link.adminToken()).toBe(place.adminToken());
  });
});

test("a second start, a token and a rebuild are refused while a service runs, which goes on", async () => {
  const place = await createServedPlace();
  const serving = await place.serve();
  const commands = [["serve", "--listen", "127.0.0.1:0"], ["token", "create"], ["rebuild"]];
  for (const finished of await Promise.all(commands.map((args) => place.run(args))))
    expect(finished).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: another process is using the data folder ${place.path}; stop it first\n`,
    });
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
  expect(await serving.stop()).toBe(0);
});

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openInstallation } from "../../src/app/installation.ts";
import { createUserGrantCommands } from "../../src/identity/user-grants/commands.ts";
import type { Call } from "../../src/kernel/base/call.ts";
import { toId } from "../../src/kernel/base/ids.ts";
import { differencesOf, dump, projectionsOf, type Row } from "../process/support/tables.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { fill } from "./scale/fill.ts";
import type { Stock } from "./speed/load.ts";

// `npm run bench:scale` compares what the service has written with what it would have written, as long as this holds.

const folder = makeTemporaryFolder();
const path = join(folder.path, "data");
const file = join(path, "gatehouse.db");
const size = { users: 120, grants: 600 };
let stock: Stock;

beforeAll(async () => {
  stock = await fill(path, size);
});
afterAll(() => folder.remove());

async function withInstallation<T>(
  work: (context: Awaited<ReturnType<typeof openInstallation>>["context"]) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation({ dataFolder: path }, { isNewAllowed: false });
  try {
    return await work(installation.context);
  } finally {
    await installation.close();
  }
}

test("what it fills is what a rebuild makes of the events", async () => {
  const before = dump(file);
  expect(before["stored_user_grants"]).toHaveLength(size.grants);
  expect(before["user_grant_roles"]).toHaveLength(size.grants);
  expect(before["stored_users"]).toHaveLength(size.users + 1); // and the administrator
  await withInstallation(({ database, log }) => database.write((tx) => log.rebuild(tx)));
  expect(differencesOf(projectionsOf(before), projectionsOf(dump(file)))).toEqual([]);
});

test("its indexes are those of every database", async () => {
  const other = join(folder.path, "other");
  await (await openInstallation({ dataFolder: other }, { isNewAllowed: true })).close();
  const schemaOf = (database: string) => {
    const raw = new Sqlite(database, { readonly: true });
    const sql = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name";
    const rows = raw.prepare(sql).all();
    raw.close();
    return rows;
  };
  expect(schemaOf(file)).toEqual(schemaOf(join(other, "gatehouse.db")));
});

test("its user grants are what a command adds", async () => {
  const [event] = dump(file)["events"]?.filter(({ type }) => type === "user_grant.added") ?? [];
  const [project] = dump(file)["stored_projects"] ?? [];
  const organizationId = toId<Call["access"]["organizationId"]>(String(event?.["resource_owner"]));
  const userId = toId<Call["caller"]["userId"]>(String(event?.["editor"]));
  const call: Call = {
    requestId: "0".repeat(32),
    remoteAddress: undefined,
    caller: {
      userId,
      organizationId,
      tokenId: toId("1"),
      tokenExpirationMs: undefined,
      isLimited: false,
      held: [],
    },
    access: { organizationId, projects: "all", projectGrants: "all" },
    deadlineMs: undefined,
    signal: undefined,
  };
  const grant = { userId, projectId: String(project?.["id"]), projectGrantId: "", roleKeys: ["reader"] };
  const { id } = await withInstallation((context) => createUserGrantCommands(context).add(call, grant));
  const after = dump(file);
  const made = after["events"]?.find(({ aggregate_id: aggregateId }) => aggregateId === id);
  expect(shapeOf(event)).toEqual(shapeOf(made));
  for (const table of ["stored_user_grants", "user_grant_roles"]) {
    const key = table === "stored_user_grants" ? "id" : "user_grant_id";
    const rows = after[table] ?? [];
    const own = rows.find((row) => row[key] === id);
    expect(shapeOf(rows.find((row) => row[key] === event?.["aggregate_id"]))).toEqual(shapeOf(own));
  }
});

/** Returns a row with digits in place of what is another one in each: ids, dates and random text. SQL makes no checksums. */
function shapeOf(row: Row | undefined) {
  const text = JSON.stringify(row === undefined ? row : { ...row, checksum: null }).replaceAll(
    /[0-9a-f]{32}/g,
    "random",
  );
  return JSON.parse(text.replaceAll(/\d{16,}/g, (number) => "1".repeat(number.length))) as unknown;
}

test("the benchmark runs to its end and compares every call", () => {
  const output = join(folder.path, "results.json");
  const args = [
    "--users",
    "100",
    "--grants",
    "500",
    "--rounds",
    "1",
    "--seconds",
    "0.3",
    "--limit",
    "Infinity",
  ];
  const script = join(import.meta.dirname, "scale/main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args, "--output", output], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TMPDIR: folder.path },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const call of ["GetUserGrant", "ListUserGrants", "UpdateProjectAgain", "AddUserGrant"])
    expect(stdout).toMatch(new RegExp(`^\\| ${call} (\\|[^|]+){9}\\|$`, "m"));
  const { comparisons } = JSON.parse(readFileSync(output, "utf8")) as { comparisons: unknown[] };
  expect(comparisons).toHaveLength(4);
  expect(stock.callers?.length).toBe(12);
}, 60_000);

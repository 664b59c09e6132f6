import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Database } from "../../../src/kernel/base/database.ts";
import { createTestClock } from "../../support/clock.ts";
import { startCluster, type TestCluster } from "../connect/support/cluster.ts";
import { insertName, namesIn, openProcess } from "./support.ts";

let cluster: TestCluster;
let url: string;
let database: Database;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.folder.remove());
beforeEach(async () => {
  url = await cluster.makeDatabase();
  database = await openProcess(url);
});
afterEach(async () => {
  await cluster.configure("synchronous_standby_names", "");
  await database.close();
});

const put = (name: string) => database.write((tx) => tx.run(insertName, [name]));

/** Does it to every backend that waits for this, as soon as there is one. */
async function whenWaiting(event: string, what: "pg_cancel_backend" | "pg_terminate_backend"): Promise<void> {
  const sql = `SELECT ${what}(pid) FROM pg_stat_activity WHERE wait_event = '${event}'`;
  while ((await cluster.ask(sql)).length === 0);
}

describe("a commit whose answer is lost", () => {
  test("is answered when it has happened", async () => {
    await cluster.configure("synchronous_standby_names", "nobody");
    const write = put("happened");
    await whenWaiting("SyncRep", "pg_terminate_backend");
    await cluster.configure("synchronous_standby_names", "");
    await write;
    expect(await namesIn(database)).toEqual(["happened"]);
  });

  /** Adds a check that runs at COMMIT and takes long enough to be killed in. */
  const slowDownCommits = async () =>
    await cluster.ask(
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(20); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON settings DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION wait()`,
      url,
    );

  test("is unknown after half a day, when the row that says so may have been removed", async () => {
    await slowDownCommits();
    const clock = createTestClock();
    const stopped = await openProcess(url, { clock });
    const write = stopped.write((tx) => tx.run(insertName, ["unknown"]));
    write.catch(() => {});
    while ((await cluster.ask("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")).length === 0);
    clock.turn(13 * 3_600_000); // as if the machine had been suspended
    await whenWaiting("PgSleep", "pg_terminate_backend");
    await expect(write).rejects.toMatchObject({ kind: "unavailable", reason: "OUTCOME_UNKNOWN" });
    await stopped.close();
  });

  test("is refused when it has not happened, and then nothing was changed", async () => {
    await slowDownCommits();
    const write = put("not there");
    write.catch(() => {});
    await whenWaiting("PgSleep", "pg_terminate_backend");
    await expect(write).rejects.toMatchObject({
      kind: "unavailable",
      reason: "OVERLOADED",
      message: expect.stringContaining("nothing was changed"),
    });
    expect(await namesIn(database)).toEqual([]);
  });

  test("is unknown when nobody can say so in time", async () => {
    await cluster.configure("synchronous_standby_names", "nobody");
    const write = put("unknown");
    await expect(write).rejects.toMatchObject({ kind: "unavailable", reason: "OUTCOME_UNKNOWN" });
  });
});

describe("a commit for which the wait for the standby was cancelled", () => {
  test("is not answered as done while no standby has it", async () => {
    await cluster.configure("synchronous_standby_names", "nobody");
    let isAnswered = false;
    const write = put("only here").then(() => {
      isAnswered = true;
    });
    write.catch(() => {});
    await whenWaiting("SyncRep", "pg_cancel_backend");
    // It looks for the outcome now, which has to wait for the standby as well.
    while ((await cluster.ask("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).length === 0);
    expect(isAnswered).toBe(false);
    await cluster.configure("synchronous_standby_names", "");
    await write;
    expect(await namesIn(database)).toEqual(["only here"]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { createEmptyCommits } from "../../../src/kernel/storage/postgres/connect/empty-commits.ts";
import { NoPrimaryError } from "../../../src/kernel/storage/postgres/connect/errors.ts";
import { sectionFacts } from "../../../src/kernel/storage/postgres/connect/server-facts.ts";
import { openPostgresServer, type PostgresServer } from "../../support/postgres-cluster.ts";
import { connectTo, startCluster, type TestCluster, urlOf } from "./support/cluster.ts";

let cluster: TestCluster;
let primary: PostgresServer;
let standby: PostgresServer;

beforeAll(async () => {
  cluster = await startCluster();
  primary = cluster.server;
  const dataFolder = join(cluster.folder.path, "standby");
  await cluster.programs.run("pg_basebackup", [
    `--dbname=${primary.url()}`,
    `--pgdata=${dataFolder}`,
    "--write-recovery-conf",
    "--checkpoint=fast",
  ]);
  standby = await openPostgresServer(cluster.programs, dataFolder);
  await standby.start();
});
afterAll(() => cluster.folder.remove());

/** Says how many transactions of the primary wait for the standby. */
async function countWaiting(): Promise<unknown> {
  const sql = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  return (await cluster.ask(sql))[0]?.["count"];
}

const quickly = { giveUpAfterMs: 1000 };

// The cases follow one another: the standby is away, then it takes over.
describe("an empty commit", () => {
  test("waits for the standby, and leaves no more than one transaction that does", async () => {
    await cluster.configure("synchronous_standby_names", "*");
    const connector = connectTo(urlOf([primary, standby]), { isSynchronousRequired: true });
    const commits = createEmptyCommits({ connector, random: systemRandom, limitMs: 500 });
    await commits.commit();
    await standby.stop();
    for (let attempt = 0; attempt < 3; attempt++) await expect(commits.commit()).rejects.toThrow();
    expect(await countWaiting()).toBe(1);
    await standby.start();
    while ((await countWaiting()) !== 0);
    await commits.commit();
    await cluster.configure("synchronous_standby_names", "");
    await expect(commits.commit()).rejects.toThrow("its commits wait for no standby");
    await expect(connector.connect("section", quickly)).rejects.toThrow("its commits wait for no standby");
    commits.close();
    await expect(commits.commit()).rejects.toThrow();
  });

  test("that was answered without the standby has failed", async () => {
    await cluster.configure("synchronous_standby_names", "*");
    const connector = connectTo(urlOf([primary]), { isSynchronousRequired: true });
    const commits = createEmptyCommits({ connector, random: systemRandom });
    await commits.commit();
    await standby.stop();
    const hanging = commits.commit();
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while ((await cluster.ask(cancel)).length === 0);
    await expect(hanging).rejects.toThrow("a commit did not wait for the standby");
    commits.close();
    await standby.start();
    await cluster.configure("synchronous_standby_names", "");
  });
});

describe("the primary", () => {
  test("is found behind a standby, which is never used", async () => {
    const { client, host } = await connectTo(urlOf([standby, primary])).connect("section", quickly);
    expect(host.port).toBe(primary.port);
    await client.end();
    const alone = connectTo(urlOf([standby])).connect("section", quickly);
    await expect(alone).rejects.toThrow(`127.0.0.1:${standby.port}: it is a standby`);
  });

  test("is the promoted standby after a failover, and never again the old primary", async () => {
    const before = connectTo(urlOf([primary, standby]));
    await (await before.connect("section", quickly)).client.end();

    await primary.stop("immediate");
    const searching = before.connect("section", { giveUpAfterMs: 20_000 });
    await cluster.ask("SELECT pg_promote()", standby.url());
    const { client, host, timeline } = await searching;
    expect(host.port).toBe(standby.port);
    expect(timeline).toBe(2);
    // Before any checkpoint: pg_control_checkpoint() still says 1 at this moment.
    expect((await client.query(`SELECT ${sectionFacts}`)).rows).toMatchObject([{ timeline: "2" }]);
    await client.end();

    await standby.stop();
    await primary.start();
    const back = before.connect("section", quickly);
    await expect(back).rejects.toThrow(NoPrimaryError);
    await expect(back).rejects.toThrow("it is an old primary: its timeline is 1, that of the primary 2");
    // A process that has seen nothing of the failover cannot know.
    await (await connectTo(urlOf([primary])).connect("section", quickly)).client.end();
  });
});

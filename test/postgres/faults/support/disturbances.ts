import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../../hostile/support/random.ts";
import type { PostgresServer } from "../../../support/postgres-cluster.ts";
import type { Proxy } from "../../support/proxy.ts";
import { query } from "../../support/sql.ts";
import { gatehouse } from "../../support/pair.ts";
import type { Services } from "./services.ts";

/** What faults are done to. Each process reaches the server through the proxy with its number. */
export interface Scene {
  readonly services: Services;
  readonly server: PostgresServer;
  readonly proxies: readonly Proxy[];
  readonly random: Random;
}

/** A span of time on the clock of `performance.now()` in which one process stood still. */
export interface Standstill {
  readonly process: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** A fault of the database, or of the way to it, which is over when it resolves. */
export interface Disturbance {
  readonly name: string;
  run(scene: Scene): Promise<void>;
}

/** Attempts to start a process: it ends when the database goes away in the middle of its start. */
const maxStarts = 10;

const anyProxy = ({ proxies, random }: Scene) => random.pick(proxies);

/** Runs a statement as the superuser. Does nothing while nobody can connect. */
async function tell(server: PostgresServer, sql: string): Promise<readonly object[]> {
  return await query(server.url(), sql).catch(() => []);
}

/** Looks for a process of the server that is about to commit for the service, for two seconds, and does that to it. */
async function withCommitting(server: PostgresServer, act: (pid: number) => Promise<void>): Promise<void> {
  const deadlineMs = Date.now() + 2000;
  while (Date.now() < deadlineMs) {
    const [found] = await tell(
      server,
      `SELECT pid FROM pg_stat_activity WHERE usename = '${gatehouse}' AND state = 'active' AND query = 'COMMIT'`,
    );
    if (found !== undefined) {
      await act((found as { pid: number }).pid);
      return;
    }
  }
}

/** Kills a process of the server, which may have ended since it was found. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Every fault of the database and of the way to it. */
export const disturbances: readonly Disturbance[] = [
  {
    name: "the server crashes and starts again",
    async run({ server, random }) {
      await server.stop("immediate");
      await delay(random.below(1500));
      await server.start();
    },
  },
  {
    name: "a backend is terminated in COMMIT",
    run: async ({ server }) =>
      await withCommitting(server, async (pid) => {
        await tell(server, `SELECT pg_terminate_backend(${pid})`);
      }),
  },
  {
    name: "a backend is killed in COMMIT, so that the server restarts all of them",
    run: async ({ server }) => await withCommitting(server, async (pid) => killIfAlive(pid)),
  },
  {
    name: "the answer of a COMMIT is lost",
    run: async (scene) => await Promise.race([anyProxy(scene).swallowCommit(), delay(2000)]),
  },
  {
    name: "connections are cut for a second",
    async run(scene) {
      const proxy = anyProxy(scene);
      proxy.cut();
      await delay(1000);
      proxy.mend();
    },
  },
  {
    name: "connections are frozen for seven seconds",
    async run(scene) {
      const proxy = anyProxy(scene);
      proxy.freeze();
      await delay(7000);
      proxy.mend();
    },
  },
  {
    name: "each round trip takes 100 ms for three seconds",
    async run(scene) {
      const proxy = anyProxy(scene);
      proxy.delay(100);
      await delay(3000);
      proxy.delay(0);
    },
  },
];

/** Kills a process drawn at random and starts it again, as often as the state of the database makes it necessary. */
export async function killOne({ services, random }: Scene): Promise<void> {
  const index = random.below(services.addresses.length);
  await services.kill(index);
  const isUp = async () =>
    await services.start(index).then(
      () => true,
      () => false,
    );
  for (let tries = 1; !(await isUp()); tries += 1) {
    if (tries === maxStarts) throw new Error(`process ${index} has not started ${maxStarts} times`);
  }
}

/** Stops a process drawn at random, in the middle of whatever it does, and lets it go on later. */
export async function stopOne({ services, random }: Scene, forMs: number): Promise<Standstill> {
  const index = random.below(services.addresses.length);
  const startMs = performance.now();
  const goOn = services.stopStill(index);
  await delay(forMs);
  goOn();
  return { process: index, startMs, endMs: performance.now() };
}

import { batchSize, supply } from "./calls.ts";
import type { Load, LoadResult, Stock, Target } from "./load.ts";
import type { Generator, Served } from "./processes.ts";
import { type Cell, type Measurement, median } from "./table.ts";

/** One server with one kind of call. */
export interface Contestant extends Pick<Target, "call" | "lane" | "http" | "client"> {
  readonly name: string;
  readonly server: Served;
}

/** Puts a load on a server, and says what processor time the server took for a call. */
export type Runner = (
  contestant: Contestant,
  load: Pick<Load, "inFlight" | "seconds" | "rate">,
) => Promise<LoadResult & { readonly cpuUs: number }>;

/** The calls of a server are numbered over the whole run, so that no two add the same. */
export function createRunner(setup: {
  readonly generator: Generator;
  readonly authorization: string;
  readonly stock: Stock;
}): Runner {
  const { generator, authorization, stock } = setup;
  const counts = new Map<string, number>();
  return async ({ name, server, call, lane, http, client }, load) => {
    const key = `${name} ${call}`;
    const from = counts.get(key) ?? 0;
    const target = { url: server.url, authorization, lane, http, client, call };
    const before = server.cpuMs();
    const result = await generator.run({ ...load, target, stock, from });
    counts.set(key, from + result.sent);
    if (call === "AddUserGrant" && from + result.sent > supply(stock))
      throw new Error("the stock is used up");
    return { ...result, cpuUs: (1000 * (server.cpuMs() - before)) / result.sent };
  };
}

/** V8 compiles what runs often, in several stages; after this time another second changes little. */
const warmUpSeconds = 4;

/**
 * Measures all contestants in turn, round after round, with as many calls in flight as each of `inFlights`. The first of
 * them is what the others are compared with, in the same round.
 */
export async function holdContest(
  contestants: readonly Contestant[],
  run: Runner,
  terms: { readonly rounds: number; readonly seconds: number; readonly inFlights: readonly number[] },
): Promise<readonly Cell[]> {
  const { rounds, seconds, inFlights } = terms;
  for (const contestant of contestants) await run(contestant, { inFlight: 64, seconds: warmUpSeconds });
  const entries = inFlights.flatMap((inFlight) =>
    contestants.map((contestant) => ({ contestant, inFlight, measurements: new Array<Measurement>() })),
  );
  for (let round = 0; round < rounds; round++) {
    let base = Number.NaN;
    for (const { contestant, inFlight, measurements } of entries) {
      const { count, elapsedMs, p50Ms, p99Ms, cpuUs, busy } = await run(contestant, { inFlight, seconds });
      const perSecond = (1000 * count) / elapsedMs;
      if (contestant === contestants[0]) base = perSecond;
      measurements.push({ perSecond, p50Ms, p99Ms, cpuUs, generatorBusy: busy, ratio: perSecond / base });
    }
  }
  return entries.map(({ contestant: { name, call, lane, http }, inFlight, measurements }) => ({
    server: name,
    call,
    lane,
    http,
    inFlight,
    measurements,
  }));
}

/**
 * Measures each contestant at half of the most that it does, with calls at fixed times, in turn, round after round; returns a
 * line about each. What is the most is measured right before: a machine that others use too is not the same a minute later.
 */
export async function measurePaced(
  contestants: readonly Contestant[],
  run: Runner,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<readonly string[]> {
  const found = contestants.map(() => new Array<{ rate: number; p50Ms: number; p99Ms: number }>());
  for (let round = 0; round < rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const { count, elapsedMs } = await run(contestant, { inFlight: 128, seconds });
      const rate = (1000 * count) / elapsedMs / 2;
      const { p50Ms, p99Ms } = await run(contestant, { inFlight: 1024, seconds: 3 * seconds, rate });
      found[index]?.push({ rate, p50Ms, p99Ms });
    }
  }
  return contestants.map(({ name, call, lane }, index) => {
    const windows = found[index] ?? [];
    const of = (key: "rate" | "p50Ms" | "p99Ms", digits: number) =>
      median(windows.map((window) => window[key])).toFixed(digits);
    const ratios = windows.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms);
    const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
    return `${name} ${call}, ${lane}, at half of the most, ${of("rate", 0)} calls/s: p50 ${of("p50Ms", 2)} ms, p99 ${of("p99Ms", 2)} ms, ${median(ratios).toFixed(1)} times (${spread})`;
  });
}

/**
 * Compares user grants that are added in batches with those that are added by single calls, 16 at a time, in turn, round after
 * round; returns a line about it for each kind of client.
 */
export async function compareBatch(
  server: Served,
  run: Runner,
  terms: { readonly rounds: number; readonly seconds: number },
): Promise<readonly string[]> {
  const single = { name: "Gatehouse", server, call: "AddUserGrant" } as const;
  const byService: Contestant = { ...single, lane: "gRPC", http: "2", client: "@grpc/grpc-js" };
  const byGenerator: Contestant = { ...single, lane: "gRPC-web", http: "1.1" };
  return [
    `${await compareBatchOf(byService, run, terms)}, for a client of @grpc/grpc-js`,
    `${await compareBatchOf(byGenerator, run, terms)}, for a client that takes next to no time itself`,
  ];
}

async function compareBatchOf(
  single: Contestant,
  run: Runner,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<string> {
  const batch: Contestant = { ...single, call: "Write" };
  await run(single, { inFlight: 16, seconds: warmUpSeconds });
  await run(batch, { inFlight: 1, seconds: warmUpSeconds });
  const batchMs: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { count, elapsedMs } = await run(single, { inFlight: 16, seconds });
    const { p50Ms } = await run(batch, { inFlight: 1, seconds });
    batchMs.push(p50Ms);
    ratios.push((batchSize * elapsedMs) / count / p50Ms);
  }
  const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
  return `a batch of ${batchSize} user grants takes ${median(batchMs).toFixed(0)} ms, ${median(ratios).toFixed(1)} times as fast (${spread}) as ${batchSize} calls with 16 in flight`;
}

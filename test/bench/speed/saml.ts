import type { Contestant, Runner } from "./contest.ts";
import { type Served, startPageGenerator } from "./processes.ts";
import { fillSamlGround } from "./saml-ground.ts";
import { median } from "./table.ts";

/** What an answer may cost: so many times the processor time of the bare echo, which takes 75 µs on the reference machine. */
const allowedRatio = 40;
const inFlight = 16;
/** How much longer the slowest hundredth of reads may take beside refused messages. */
const allowedDelayMs = 20;
/** Reads and refused messages a second where their delay is measured. */
const readsPerSecond = 200;
const refusedPerSecond = 100;

/**
 * Measures what a signed AuthnRequest of a browser with a session costs the server, in processor time and in the same run as the
 * bare echo, and how much reads over gRPC are delayed by messages that are refused. Returns a line about each.
 */
export async function measureSaml(setup: {
  readonly server: Served;
  readonly authorization: string;
  readonly echo: Contestant;
  readonly run: Runner;
  readonly terms: { readonly rounds: number; readonly seconds: number };
}): Promise<readonly string[]> {
  const { server, authorization, echo, run, terms } = setup;
  const { headers, good, bad } = await fillSamlGround({ url: server.url, authorization });
  const generator = startPageGenerator();
  const load = async (what: "answered" | "refused", seconds: number, rate?: number) => {
    const before = server.cpuMs();
    const [paths, status] = what === "answered" ? [good, 200] : [bad, 400];
    const paced = rate === undefined ? {} : { rate };
    const { count } = await generator.run({
      url: server.url,
      inFlight,
      seconds,
      headers,
      paths,
      status,
      ...paced,
    });
    return (1000 * (server.cpuMs() - before)) / count;
  };
  try {
    const lines: string[] = [];
    await run(echo, { inFlight, seconds: 4 }); // V8 compiles what runs often
    for (const what of ["answered", "refused"] as const) {
      await load(what, 4);
      const found: { readonly us: number; readonly ratio: number }[] = [];
      for (let round = 0; round < terms.rounds; round++) {
        const { cpuUs } = await run(echo, { inFlight, seconds: terms.seconds });
        const us = await load(what, terms.seconds);
        found.push({ us, ratio: us / cpuUs });
      }
      const ratios = found.map(({ ratio }) => ratio);
      const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
      const us = median(found.map((one) => one.us)).toFixed(0);
      const limit = what === "answered" ? `, of ${allowedRatio} allowed` : "";
      lines.push(
        `SAML, a signed AuthnRequest that is ${what}: ${us} µs of CPU, ${median(ratios).toFixed(1)} times the echo (${spread})${limit}`,
      );
    }
    lines.push(await measureDelay(setup, (seconds) => load("refused", seconds, refusedPerSecond)));
    return lines;
  } finally {
    generator.stop();
  }
}

/** Compares reads at fixed times beside refused messages, and alone. */
async function measureDelay(
  { server, run, terms }: Pick<Parameters<typeof measureSaml>[0], "server" | "run" | "terms">,
  refuse: (seconds: number) => Promise<number>,
): Promise<string> {
  const reads: Contestant = { name: "Gatehouse", server, call: "GetProject", lane: "gRPC", http: "2" };
  const seconds = 3 * terms.seconds;
  const read = () => run(reads, { inFlight: 64, seconds, rate: readsPerSecond });
  const delays: number[] = [];
  for (let round = 0; round < terms.rounds; round++) {
    const alone = await read();
    const [beside] = await Promise.all([read(), refuse(seconds)]);
    delays.push(beside.p99Ms - alone.p99Ms);
  }
  const worst = Math.max(...delays).toFixed(1);
  return `reads over gRPC (${readsPerSecond}/s) beside ${refusedPerSecond} refused SAML messages/s: p99 ${median(delays).toFixed(1)} ms later (at most ${worst}), of ${allowedDelayMs} allowed`;
}

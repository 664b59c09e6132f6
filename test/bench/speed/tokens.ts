import type { Contestant, Runner } from "./contest.ts";
import { type Served, startTokenGenerator } from "./processes.ts";
import { median } from "./table.ts";
import { fillTokenStock } from "./token-ground.ts";
import type { TokenCall } from "./token-load.ts";

/** What a call may cost: so many times the processor time of the bare echo; undefined: it is only measured. */
const allowed: Readonly<Record<TokenCall, number | undefined>> = {
  client_credentials: 6,
  dpop: undefined,
  exchange: 6,
  introspection: 2.5,
  refresh: 8,
};
const names: Readonly<Record<TokenCall, string>> = {
  client_credentials: "client_credentials, private_key_jwt of ES256 to a JWT of ES256",
  dpop: "the same with a DPoP proof of ES256",
  exchange: "exchange of an opaque token for another",
  introspection: "introspection of an opaque token",
  refresh: "refresh, with an ID token of ES256",
};
const inFlight = 16;
/** How much longer the slowest hundredth of reads may take beside a load of tokens. */
const allowedDelayMs = 20;
/** Reads and token requests a second where their delay is measured. */
const readsPerSecond = 200;
const tokensPerSecond = 100;

/**
 * Measures what a request for tokens costs the server, in processor time and in the same run as the bare echo, and how much
 * reads over gRPC are delayed by such requests. Returns a line about each.
 */
export async function measureTokens(setup: {
  readonly server: Served;
  readonly authorization: string;
  readonly echo: Contestant;
  readonly run: Runner;
  readonly terms: { readonly rounds: number; readonly seconds: number };
}): Promise<readonly string[]> {
  const { server, authorization, echo, run, terms } = setup;
  const stock = await fillTokenStock({ url: server.url, authorization }, inFlight);
  const generator = startTokenGenerator();
  let { refreshTokens } = stock;
  const load = async (kind: TokenCall, seconds: number, rate?: number) => {
    const before = server.cpuMs();
    const paced = rate === undefined ? {} : { rate };
    const order = {
      load: { url: server.url, kind, inFlight, seconds, ground: stock.ground, ...paced },
      refreshTokens,
    };
    const answer = await generator.run(order);
    if (kind === "refresh") ({ refreshTokens } = answer);
    return (1000 * (server.cpuMs() - before)) / answer.result.count;
  };
  try {
    const lines: string[] = [];
    // V8 compiles what runs often. All kinds share much, so the first of them would else be measured in the cold.
    await run(echo, { inFlight, seconds: 4 });
    for (const kind of Object.keys(allowed) as TokenCall[]) await load(kind, 4);
    for (const kind of Object.keys(allowed) as TokenCall[]) {
      const found: { readonly us: number; readonly ratio: number }[] = [];
      for (let round = 0; round < terms.rounds; round++) {
        const { cpuUs } = await run(echo, { inFlight, seconds: terms.seconds });
        const us = await load(kind, terms.seconds);
        found.push({ us, ratio: us / cpuUs });
      }
      lines.push(lineOf(kind, found));
    }
    lines.push(await measureDelay(setup, load));
    return lines;
  } finally {
    generator.stop();
  }
}

function lineOf(kind: TokenCall, found: readonly { readonly us: number; readonly ratio: number }[]): string {
  const ratios = found.map(({ ratio }) => ratio);
  const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
  const limit = allowed[kind];
  const us = median(found.map((one) => one.us)).toFixed(0);
  return `${names[kind]}: ${us} µs of CPU, ${median(ratios).toFixed(1)} times the echo (${spread})${limit === undefined ? "" : `, of ${limit} allowed`}`;
}

/** Compares reads at fixed times beside all kinds of token requests, and alone. */
async function measureDelay(
  {
    server,
    run,
    terms,
  }: {
    readonly server: Served;
    readonly run: Runner;
    readonly terms: { readonly rounds: number; readonly seconds: number };
  },
  load: (kind: TokenCall, seconds: number, rate: number) => Promise<number>,
): Promise<string> {
  const reads: Contestant = { name: "Gatehouse", server, call: "GetProject", lane: "gRPC", http: "2" };
  const seconds = 3 * terms.seconds;
  const read = () => run(reads, { inFlight: 64, seconds, rate: readsPerSecond });
  const delays: number[] = [];
  for (let round = 0; round < terms.rounds; round++) {
    for (const kind of Object.keys(allowed) as TokenCall[]) {
      const alone = await read();
      const [beside] = await Promise.all([read(), load(kind, seconds, tokensPerSecond)]);
      delays.push(beside.p99Ms - alone.p99Ms);
    }
  }
  const worst = Math.max(...delays).toFixed(1);
  return `reads over gRPC (${readsPerSecond}/s) beside ${tokensPerSecond} token requests/s: p99 ${median(delays).toFixed(1)} ms later (at most ${worst}), of ${allowedDelayMs} allowed`;
}

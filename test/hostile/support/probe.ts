/**
 * Loaded into the service before it starts (`node --import`). It answers questions about the process over IPC, and stands
 * between the service and the network: names are those of a table, and a connection that the service begins is counted
 * and refused. Below `silent.example` each name is a host that never answers.
 */
import dns from "node:dns";
import net from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** What a test asks. */
export type Question =
  | "sample"
  | "reset-delay"
  | "begin-turns"
  | "processor-time"
  | { readonly names: NameTable };

/** Addresses by name; a list inside is one answer, the next question gets the next list, the last stays. */
export type NameTable = Readonly<Record<string, readonly (readonly string[])[]>>;

/** What the main thread has worked, in milliseconds of its own time: what else the machine does meanwhile does not count. */
export interface ProcessorTime {
  readonly totalMs: number;
  /** The longest turn of the event loop since "begin-turns"; after it the loop goes round without a rest until this is asked. */
  readonly longestTurnMs: number;
}

export interface Sample {
  /** Own keys of the built-in prototypes, `Object.prototype.toString` and so on. */
  readonly prototypes: readonly string[];
  readonly heapBytes: number;
  readonly outsideHeapBytes: number;
  readonly residentBytes: number;
  readonly delayMaxMs: number;
  readonly uncaught: readonly string[];
  readonly warnings: readonly string[];
  /** Connections that the service began, as `host:port`. */
  readonly connections: readonly string[];
  /** Names that the service asked for. */
  readonly lookups: readonly string[];
}

const uncaught: string[] = [];
const warnings: string[] = [];
const connections: string[] = [];
const lookups: string[] = [];
const asked = new Map<string, number>();
let names: NameTable = {};
const silent = /\.silent\.example$/;
const silentAnswers = [["9.9.9.9"]] as const;

process.on("uncaughtExceptionMonitor", (error) => {
  uncaught.push(String(error));
});
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") warnings.push(`${warning.name}: ${warning.message}`);
});

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

function notFound(name: string): Error {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
}

const lookup = async (name: string): Promise<{ address: string; family: number }[]> => {
  lookups.push(name);
  const key = name.toLowerCase().replace(/\.$/, "");
  const known = Object.hasOwn(names, key) ? names[key] : undefined;
  const answers = silent.test(key) ? silentAnswers : known;
  if (answers === undefined) throw notFound(name);
  const count = asked.get(key) ?? 0;
  asked.set(key, count + 1);
  const addresses = answers[Math.min(count, answers.length - 1)] ?? [];
  return addresses.map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 }));
};
/** The service opens a resolver for each look-up, and asks it for the addresses of both families: that is one question. */
const answered = new WeakMap<dns.promises.Resolver, ReturnType<typeof lookup>>();
const resolveFamily = (family: number) =>
  async function resolve(this: dns.promises.Resolver, name: string): Promise<string[]> {
    const answer = answered.get(this) ?? lookup(name);
    answered.set(this, answer);
    return (await answer).filter((each) => each.family === family).map(({ address }) => address);
  };
Object.assign(dns.promises, { lookup });
Object.assign(dns.promises.Resolver.prototype, { resolve4: resolveFamily(4), resolve6: resolveFamily(6) });

// Outgoing connections of every kind go through here; accepted ones do not. The service itself has none to make.
Object.assign(net.Socket.prototype, {
  connect(this: net.Socket, ...args: readonly unknown[]) {
    const [first] = args.flat();
    const { host, port } =
      typeof first === "object" && first !== null ? (first as net.TcpNetConnectOpts) : { host: "?", port: 0 };
    connections.push(`${host}:${port}`);
    if (silent.test(String(host))) return this;
    const refusal = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    process.nextTick(() => this.destroy(refusal));
    return this;
  },
});

const builtIns: Readonly<Record<string, object>> = {
  Object: Object.prototype,
  Array: Array.prototype,
  Function: Function.prototype,
  String: String.prototype,
  Number: Number.prototype,
  Map: Map.prototype,
  Set: Set.prototype,
  Promise: Promise.prototype,
  Error: Error.prototype,
  RegExp: RegExp.prototype,
  Uint8Array: Uint8Array.prototype,
  Buffer: Buffer.prototype,
};

function prototypes(): readonly string[] {
  return Object.entries(builtIns).flatMap(([name, prototype]) =>
    Reflect.ownKeys(prototype).map((key) => `${name}.prototype.${String(key)}`),
  );
}

async function sample(): Promise<Sample> {
  // What finalizers let go is collected by the next one; the last resort also gives empty pages back to the system.
  for (let round = 0; round < 4; round++) {
    await globalThis.gc?.({ type: "major", execution: "async", flavor: "last-resort" });
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return {
    prototypes: prototypes(),
    heapBytes: heapUsed,
    outsideHeapBytes: external,
    residentBytes: rss,
    delayMaxMs: delay.max / 1e6,
    uncaught,
    warnings,
    connections,
    lookups,
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

let turns: { longestMs: number } | undefined;

function beginTurns(): void {
  const own = { longestMs: 0 };
  turns = own;
  let lastMs = threadMs();
  const turn = (): void => {
    if (turns !== own) return;
    const nowMs = threadMs();
    own.longestMs = Math.max(own.longestMs, nowMs - lastMs);
    lastMs = nowMs;
    setImmediate(turn);
  };
  setImmediate(turn);
}

function endTurns(): ProcessorTime {
  const longestTurnMs = turns?.longestMs ?? 0;
  turns = undefined;
  return { totalMs: threadMs(), longestTurnMs };
}

process.on("message", (question: Question) => {
  if (question === "sample") {
    void sample().then((answer) => process.send?.(answer));
    return;
  }
  if (question === "processor-time") {
    process.send?.(endTurns());
    return;
  }
  const delayMaxMs = delay.max / 1e6;
  if (question === "begin-turns") beginTurns();
  else if (question === "reset-delay") delay.reset();
  else names = question.names;
  process.send?.(delayMaxMs);
});
process.channel?.unref();

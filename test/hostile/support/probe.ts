/**
 * Loaded into the service before it starts (`node --import`). It answers questions about the process over IPC, and stands
 * between the service and the network: names are those of a table, and a connection that the service begins is counted
 * and refused, unless it goes to the listeners that a test names as its own.
 */
import dns from "node:dns";
import net from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** What a test asks. */
export type Question = "sample" | "reset-delay" | { readonly names: NameTable };

/** Addresses by name; a list inside is one answer, the next question gets the next list, the last stays. */
export type NameTable = Readonly<Record<string, readonly (readonly string[])[]>>;

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
  const answers = Object.hasOwn(names, key) ? names[key] : undefined;
  if (answers === undefined) throw notFound(name);
  const count = asked.get(key) ?? 0;
  asked.set(key, count + 1);
  const addresses = answers[Math.min(count, answers.length - 1)] ?? [];
  return addresses.map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 }));
};
Object.assign(dns.promises, { lookup });

// Outgoing connections of every kind go through here; accepted ones do not. The service itself has none to make.
Object.assign(net.Socket.prototype, {
  connect(this: net.Socket, ...args: readonly unknown[]) {
    const [first] = args.flat();
    const { host, port } =
      typeof first === "object" && first !== null ? (first as net.TcpNetConnectOpts) : { host: "?", port: 0 };
    connections.push(`${host}:${port}`);
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

process.on("message", (question: Question) => {
  if (question === "sample") {
    void sample().then((answer) => process.send?.(answer));
    return;
  }
  const delayMaxMs = delay.max / 1e6;
  if (question === "reset-delay") delay.reset();
  else names = question.names;
  process.send?.(delayMaxMs);
});
process.channel?.unref();

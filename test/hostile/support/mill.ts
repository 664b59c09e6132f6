import { describeRequest, type HostileRequest } from "./exchange.ts";
import { createHttp1Client, type HostileClient, type Target } from "./http1.ts";
import { createHttp2Client } from "./http2.ts";
import { judge } from "./judge.ts";

/** One kind of attack: request number `index` of it, always the same for the same seed. */
export interface Kind {
  readonly name: string;
  readonly count: number;
  readonly make: (index: number) => HostileRequest;
}

/** How many requests were answered how, by kind, content type, HTTP version and answer. */
export interface Tally {
  add(kind: string, request: HostileRequest, answer: string): void;
  readonly total: number;
  /** Returns the number of requests of a content type and version. */
  countOf(type: string, version: number): number;
  table(): string;
}

export interface Failure {
  readonly kind: string;
  readonly index: number;
  readonly complaints: readonly string[];
  readonly request: string;
}

/**
 * Sends the requests of a kind, `inFlight` at a time, half of them over each version of HTTP or as they say themselves.
 * Returns what was wrong with the answers.
 */
export async function grind(
  kind: Kind,
  setup: { readonly target: Target; readonly tally: Tally; readonly inFlight: number },
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  let index = 0;
  const work = async (): Promise<void> => {
    const clients: Readonly<Record<1 | 2, HostileClient>> = {
      1: createHttp1Client(setup.target),
      2: createHttp2Client(setup.target),
    };
    while (index < kind.count) {
      const at = index++;
      const request = kind.make(at);
      const answer = await clients[request.version].send(request);
      const { code, reason, complaints } = judge(request, answer);
      setup.tally.add(kind.name, request, code === undefined ? reason : `${code}${reason && ` ${reason}`}`);
      if (complaints.length > 0)
        failures.push({ kind: kind.name, index: at, complaints, request: describeRequest(request) });
    }
    clients[1].close();
    clients[2].close();
  };
  await Promise.all(Array.from({ length: setup.inFlight }, work));
  return failures;
}

export function createTally(): Tally {
  const byKind = new Map<string, Map<string, number>>();
  const byType = new Map<string, number>();
  let total = 0;
  const keyOf = (type: string, version: number) => `${type} HTTP/${version === 1 ? "1.1" : "2"}`;
  return {
    add(kind, { type, version }, answer) {
      total++;
      const answers = byKind.get(kind) ?? new Map<string, number>();
      byKind.set(kind, answers.set(answer, (answers.get(answer) ?? 0) + 1));
      const key = keyOf(type, version);
      byType.set(key, (byType.get(key) ?? 0) + 1);
      byType.set(`${key} ${kind}`, (byType.get(`${key} ${kind}`) ?? 0) + 1);
    },
    get total() {
      return total;
    },
    countOf: (type, version) => byType.get(keyOf(type, version)) ?? 0,
    table() {
      const kinds = [...byKind.keys()];
      const keys = [...byType.keys()].filter((key) => /HTTP\/(?:1\.1|2)$/.test(key)).toSorted();
      const rows = keys.map((key) =>
        [
          key.padEnd(40),
          ...kinds.map((kind) => String(byType.get(`${key} ${kind}`) ?? 0).padStart(kind.length)),
          String(byType.get(key) ?? 0).padStart(7),
        ].join("  "),
      );
      const answers = kinds.map((kind) => {
        const counts = [...(byKind.get(kind) ?? [])].toSorted(([, left], [, right]) => right - left);
        return `  ${kind}: ${counts.map(([answer, count]) => `${answer} × ${count}`).join(", ")}`;
      });
      const head = ["content type and version".padEnd(40), ...kinds, "    all"].join("  ");
      return [`${total} requests`, head, ...rows, "answers by code and reason", ...answers].join("\n");
    },
  };
}

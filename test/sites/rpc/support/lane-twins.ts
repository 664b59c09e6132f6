import type { DescMethodUnary } from "@bufbuild/protobuf";
import {
  describeRequest,
  type HostileAnswer,
  type HostileRequest,
  type WireType,
  wireTypes,
} from "../../../hostile/support/exchange.ts";
import type { Stock } from "../../../hostile/support/ground.ts";
import { createHttp1Client } from "../../../hostile/support/http1.ts";
import { createHttp2Client } from "../../../hostile/support/http2.ts";
import { createKinds } from "../../../hostile/support/kinds.ts";
import { createRandom, type Random } from "../../../hostile/support/random.ts";
import { decodeText } from "../../../support/web-text.ts";

/**
 * The same requests go to two services that differ in one thing: who serves the unary calls in frames. Both have the same
 * data, time and randomness and get one request after the other, so that they are in the same state for each of them.
 */
export interface Comparison {
  readonly differences: readonly object[];
  /** How many requests the lane of ours may take, by their protocol. */
  readonly taken: { readonly grpc: number; readonly "grpc-web": number };
}

/** What both lanes serve; a few of the others show that the switch between them changes nothing else. */
const framed: readonly WireType[] = [
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web",
  "application/grpc-web+proto",
  "application/grpc-web-text",
];
const others = wireTypes.filter((type) => !framed.includes(type) && !type.includes("connect"));

/**
 * The share of each kind of requests. Bombs are compressed, which only Connect's lane serves, and take seconds; broken HTTP
 * is seen by no lane.
 */
const shares: Readonly<Record<string, number>> = {
  plain: 0.32,
  binary: 0.23,
  frames: 0.2,
  headers: 0.16,
  "random bytes": 0.07,
  paths: 0.02,
};

/** How often each request is sent, with other things beside the call: to make one takes a quarter of the time. */
const variants = 3;

/** The name of the origin that the services allow. */
export const allowedOrigin = "https://console.example.com";

/** Sends `total` requests in frames, and some others, to both ports and compares the answers. */
export async function compareLanes(
  [own, connect]: readonly [ownPort: number, connectPort: number],
  ground: Stock,
  setup: {
    readonly methods: readonly DescMethodUnary[];
    readonly seed: number;
    readonly total: number;
    /** Whether there are calls whose deadline has passed: what they do is still under way when the next one comes. */
    readonly hasPassedDeadlines: boolean;
  },
): Promise<Comparison> {
  const clients = [own, connect].map(createClients);
  const differences: object[] = [];
  const taken = { grpc: 0, "grpc-web": 0 };
  let compared = 0;
  const compare = async (made: HostileRequest): Promise<void> => {
    const request = decorate(made, createRandom(setup.seed, compared++), setup.hasPassedDeadlines);
    if (request.path.includes("/metrics")) return; // says how long calls took
    // HTTP/2 resets the stream in the middle of the call: how far that has come by then is chance.
    if (request.version === 2 && request.headers.some(([name]) => name === "content-length")) return;
    const ask = async () => {
      const answers = await Promise.all(clients.map((each) => each[request.version].send(request)));
      return answers.map(shapeOf);
    };
    let [left, right] = await ask();
    // What is refused before its body has come is reset behind the answer: whether the client still sees its end is chance.
    for (let tries = 1; tries < maxTries && isCutAlone(left, right); tries++) [left, right] = await ask();
    const isWeb = request.type.includes("web");
    if (framed.includes(request.type) && (request.version === 2 || isWeb))
      taken[isWeb ? "grpc-web" : "grpc"]++;
    if (JSON.stringify(left) !== JSON.stringify(right))
      differences.push({ request: describeRequest(request), left, right });
  };
  for (const [types, total] of [
    [framed, setup.total],
    [others, setup.total * 0.02],
  ] as const) {
    for (const { name, make } of createKinds({ ...setup, ground, total: 0, types })) {
      for (let index = 0; index < (total * (shares[name] ?? 0)) / variants; index++) {
        const request = make(index);
        for (let variant = 0; variant < variants; variant++) await compare(request);
      }
    }
  }
  for (const each of clients) for (const client of Object.values(each)) client.close();
  return { differences, taken };
}

const maxTries = 5;

type Shape = ReturnType<typeof shapeOf>;

/** Says whether two answers differ in nothing but that one of them is cut. */
function isCutAlone(left: Shape | undefined, right: Shape | undefined): boolean {
  if (left === undefined || right === undefined || left.isCut === right.isCut) return false;
  return JSON.stringify({ ...left, isCut: true }) === JSON.stringify({ ...right, isCut: true });
}

function createClients(port: number) {
  const target = { host: "127.0.0.1", port };
  return { 1: createHttp1Client(target), 2: createHttp2Client(target) };
}

/** Adds what well-formed callers send beside the call: compressions that they take, time-outs, the page that they are. */
function decorate(request: HostileRequest, random: Random, hasPassedDeadlines: boolean): HostileRequest {
  const isGrpc = /grpc(?!-web)/.test(request.type);
  const more: [string, string][] = [];
  if (random.chance(0.3)) more.push(["grpc-accept-encoding", random.pick(accepted)]);
  if (random.chance(0.1)) more.push(["accept", random.pick(formats)]);
  if (random.chance(0.2)) more.push(["origin", random.pick([allowedOrigin, "null", ""])]);
  if (random.chance(0.1))
    more.push(["grpc-timeout", random.pick(hasPassedDeadlines ? [...timeouts, ...passed] : timeouts)]);
  const headers = request.headers.map(
    ([name, value]) => [name, name.includes("timeout") ? (timely.get(value) ?? value) : value] as const,
  );
  // gRPC on HTTP/1.1 is refused.
  const version = isGrpc && random.chance(0.95) ? 2 : request.version;
  return { ...request, version, headers: [...headers, ...more] };
}

const accepted = ["identity,deflate,gzip", "br, gzip", "gzip", "identity", "", "zstd,*", "GZIP", "gzip;q=1"];
const formats = ["*/*", "application/grpc-web-text", "application/grpc-web+proto", "text/html"];
const timeouts = ["1H", "99999999H", "1x", "5", ""];
const passed = ["0S", "1n"];
/** A deadline within the time that a call takes would be met by one of the services and not by the other. */
const timely = new Map(
  ["0n", "1n", "0S", "1u", "1m", "1", "1000", "00000001S"].map((short) => [short, "99999999H"] as const),
);

/** What follows from how an answer is cut into pieces, and from when it was made. */
const incidental = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

function shapeOf({ status, headers, trailers, body, isCut, isLate }: HostileAnswer) {
  const kept = Object.entries(headers)
    .filter(([name]) => !incidental.has(name))
    // What the parser of HTTP refuses has one that is random; no lane has seen that request.
    .map(([name, value]) => [name, name === "x-request-id" ? /^[0-9a-f]{32}$/.test(value) : value] as const);
  return {
    status,
    headers: sorted(kept),
    trailers: sorted(Object.entries(trailers)),
    body: isText(headers) ? decodeText(body.toString("latin1")).toString("latin1") : body.toString("latin1"),
    isCut,
    isLate,
  };
}

/** Where a text is padded follows from how the answer is cut into pieces, too. */
function isText(headers: HostileAnswer["headers"]): boolean {
  return headers["content-type"]?.startsWith("application/grpc-web-text") === true;
}

function sorted<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * Returns the logged calls in the order of their request ids, without what differs from call to call: how long they took, and
 * where in the code they failed. A call whose caller is gone may be logged after the next one.
 */
export function callsOf(lines: readonly Readonly<Record<string, unknown>>[]): readonly object[] {
  const idOf = (line: Readonly<Record<string, unknown>>) => String(line["request_id"]);
  return lines
    .filter(({ msg }) => String(msg).startsWith("call."))
    .toSorted((left, right) => (idOf(left) < idOf(right) ? -1 : 1))
    .map(toCall);
}

function toCall({
  ms: _ms,
  time: _time,
  pid: _pid,
  err,
  ...rest
}: Readonly<Record<string, unknown>>): object {
  return { ...rest, hasCause: err !== undefined };
}

/** Returns the values that differ at the same place of two lists. Jest takes a second for each thousand that are equal. */
export function differencesBetween(left: readonly unknown[] = [], right: readonly unknown[] = []): unknown[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_each, at) => [
    left[at],
    right[at],
  ]).filter(([one, other]) => JSON.stringify(one) !== JSON.stringify(other));
}

/** Returns how many of the logged calls ended with each code. */
export function countCodes(calls: readonly object[]): Readonly<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const call of calls) {
    const code = String("code" in call ? call.code : undefined);
    counted[code] = (counted[code] ?? 0) + 1;
  }
  return counted;
}

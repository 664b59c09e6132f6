import type { DescMethodUnary } from "@bufbuild/protobuf";
import { type Headers, type HostileRequest, type HttpVersion, type WireType, wireTypes } from "./exchange.ts";
import type { Stock } from "./ground.ts";
import type { Kind } from "./mill.ts";
import { mutateBinary } from "./mutate-binary.ts";
import { bombOf, frame, mutateFrame } from "./mutate-frame.ts";
import { mutateHeaders } from "./mutate-headers.ts";
import { mutateJson } from "./mutate-json.ts";
import { mutatePath } from "./mutate-path.ts";
import { createRandom, type Random } from "./random.ts";
import { rawRequest } from "./raw.ts";
import { createPlain, type Plain, rpcPath, toBytes, toQuery, toRest } from "./requests.ts";

export interface Workshop {
  readonly ground: Stock;
  readonly methods: readonly DescMethodUnary[];
  readonly seed: number;
  /** How many requests of all kinds. */
  readonly total: number;
  /** The content types that the requests have; absent: all. Kinds that have none of them are left out. */
  readonly types?: readonly WireType[];
}

/** Also of the rare ones: what they take of memory at the most must be taken before it is measured. */
const leastOfAKind = 60;

const json: readonly WireType[] = ["rest", "application/json", "application/connect+json"];
const binary: readonly WireType[] = wireTypes.filter((type) => /proto|grpc/.test(type));
const framed: readonly WireType[] = wireTypes.filter((type) => /grpc|connect/.test(type));

/** Streams without a token: what Connect's own content types are served for. */
const streams = ["/grpc.health.v1.Health/Watch", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"];
const health = "/grpc.health.v1.Health/Check";

/** Returns every kind of attack with its share of the requests. */
export function createKinds(workshop: Workshop): readonly Kind[] {
  const kind = (name: string, share: number, all: readonly WireType[], make: Make): Kind => {
    const types = all.filter((type) => workshop.types?.includes(type) ?? true);
    return {
      name,
      count: types.length === 0 ? 0 : Math.max(leastOfAKind, Math.round(workshop.total * share)),
      make: (index) => {
        const random = createRandom(workshop.seed ^ hash(name), index);
        const type = types[index % types.length] ?? "rest";
        const version: HttpVersion = Math.floor(index / types.length) % 2 === 0 ? 1 : 2;
        const plain = createPlain(random.pick(workshop.methods), workshop.ground, random);
        return make({ plain, type, version, random, token: random.pick(workshop.ground.tokens) });
      },
    };
  };
  const kinds = [
    kind("plain", 0.076, wireTypes, (context) => build(context, "nothing", contentOf(context))),
    kind("json", 0.24, json, (context) => {
      const {
        what,
        body,
        isUndecodable = false,
      } = mutateJson(jsonOf(context), context.plain.method.input, context.random);
      const request = build(context, what, context.type.includes("connect") ? frame(body) : body);
      return { ...request, isUndecodable: isUndecodable && context.type === "application/json" };
    }),
    kind("binary", 0.17, binary, (context) => {
      const { what, body } = mutateBinary(toBytes(context.plain), context.plain.method.input, context.random);
      return build(context, what, isFramed(context.type) ? frame(body) : body);
    }),
    kind("frames", 0.12, framed, (context) => {
      const { what, body, encoding } = mutateFrame(messageOf(context), context.random);
      return build(
        context,
        what,
        body,
        encoding === undefined ? [] : [[encodingHeader(context.type), encoding]],
      );
    }),
    kind("random bytes", 0.14, wireTypes, (context) =>
      build(context, "random bytes", context.random.bytes(context.random.pick([1, 5, 6, 40, 300]))),
    ),
    kind("headers", 0.12, wireTypes, (context) =>
      mutateHeaders(build(context, "", contentOf(context)), context.random),
    ),
    kind("paths", 0.1, ["rest", "rest", "rest", ...wireTypes], (context) =>
      mutatePath(build(context, "", contentOf(context)), context.random),
    ),
    kind("broken HTTP", 0.03, wireTypes, rawOf),
    kind("bombs", 0.004, wireTypes, bomb),
  ];
  return kinds.filter(({ count }) => count > 0);
}

interface Context {
  readonly plain: Plain;
  readonly type: WireType;
  readonly version: HttpVersion;
  readonly random: Random;
  readonly token: string;
}
type Make = (context: Context) => HostileRequest;

function isFramed(type: WireType): boolean {
  return framed.includes(type);
}

function encodingHeader(type: WireType): string {
  return type.includes("connect")
    ? "connect-content-encoding"
    : isFramed(type)
      ? "grpc-encoding"
      : "content-encoding";
}

/** Connect's stream types are served for methods that stream, which take small messages of their own. */
function isStream({ type, random }: Context): boolean {
  return type.includes("connect") && random.chance(0.7);
}

function jsonOf(context: Context) {
  return context.type === "rest" ? toRest(context.plain).rest : context.plain.json;
}

function messageOf(context: Context): Buffer {
  return context.type === "application/connect+json"
    ? Buffer.from(JSON.stringify(context.plain.json))
    : toBytes(context.plain);
}

function contentOf(context: Context): Buffer {
  if (isFramed(context.type)) return frame(messageOf(context));
  return context.type === "application/proto"
    ? toBytes(context.plain)
    : Buffer.from(JSON.stringify(jsonOf(context)));
}

/** Puts a body behind the head that belongs to its content type. */
function build(context: Context, what: string, body: Buffer, more: Headers = []): HostileRequest {
  const { plain, type, version, random, token } = context;
  const bearer = ["authorization", `Bearer ${token}`] as const;
  if (type === "rest") {
    const { verb, path, rest, hasBody } = toRest(plain);
    const headers: Headers = hasBody
      ? [bearer, ["content-type", "application/json"], ...more]
      : [bearer, ...more];
    const query = hasBody || body.length === 0 ? "" : queryOf(body, rest, random);
    return {
      what,
      type,
      version,
      verb,
      path: `${path}${query}`,
      headers,
      body: hasBody ? body : Buffer.alloc(0),
    };
  }
  const isOpen = isStream(context);
  const path = isOpen ? random.pick([...streams, health]) : rpcPath(plain.method);
  // A stream may go on for ever; both, because a mutation may change the protocol.
  const limit: Headers = isOpen
    ? [
        ["connect-timeout-ms", "60"],
        ["grpc-timeout", "60m"],
      ]
    : [];
  const headers: Headers = [
    bearer,
    ["content-type", type],
    ...(type.includes("grpc") ? [["te", "trailers"] as const] : []),
    ...limit,
    ...more,
  ];
  return {
    what,
    type,
    version,
    verb: "POST",
    path,
    headers,
    body: wired(context, body),
    hasDeadline: isOpen,
  };
}

/** Returns the body in base64 where the type has it; sometimes as it is, which is broken base64. */
function wired({ type, random }: Context, body: Buffer): Buffer {
  return type.includes("-text") && random.chance(0.9) ? Buffer.from(body.toString("base64")) : body;
}

/** What would be the body is the query of a GET: its JSON as parameters, or its bytes as they are. */
function queryOf(body: Buffer, rest: Plain["json"], random: Random): string {
  if (random.chance(0.5)) return toQuery(rest);
  return `?${random.pick(["name=", "page_token=", ""])}${encodeURIComponent(body.toString("latin1").slice(0, 2000))}`;
}

function rawOf(context: Context): HostileRequest {
  const request = build(context, "", contentOf(context));
  const contentType = request.headers.find(([name]) => name === "content-type")?.[1] ?? "";
  const { what, raw } = rawRequest(
    { path: request.path, contentType, token: context.token, body: Buffer.from(request.body) },
    context.random,
  );
  return { ...request, version: 1, what, raw, mayBeCut: true };
}

function bomb(context: Context): HostileRequest {
  const { body, encoding, what } = bombOf(context.random);
  const header = [encodingHeader(context.type), encoding] as const;
  return build(context, what, isFramed(context.type) ? frame(body, 1) : body, [header]);
}

function hash(text: string): number {
  return Array.from(text).reduce((sum, character) => Math.imul(sum, 31) + (character.codePointAt(0) ?? 0), 7);
}

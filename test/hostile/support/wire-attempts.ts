import type { DescMethod } from "@bufbuild/protobuf";
import { gzipSync } from "node:zlib";
import { listServices } from "../../support/methods.ts";
import { inWireType, wireFieldsOf, wireTypes } from "../../sites/rpc/support/wire-fields.ts";
import type { HostileRequest, WireType } from "./exchange.ts";
import { createHttp2Client } from "./http2.ts";
import { judge } from "./judge.ts";
import { frame } from "./mutate-frame.ts";

/** A request with one known field in one wire type, whether or not that fits. */
export interface Attempt {
  readonly what: string;
  readonly isFitting: boolean;
  /** The same message in each way in which it may come: all content types of binary protobuf, plain and compressed. */
  readonly ways: readonly (() => HostileRequest)[];
}

/** The content types of binary protobuf, and the header by which each says that a message is compressed. */
const encodingHeaders = {
  "application/proto": "content-encoding",
  "application/grpc": "grpc-encoding",
  "application/grpc-web": "grpc-encoding",
  "application/connect+proto": "connect-content-encoding",
} as const satisfies Partial<Record<WireType, string>>;
type BinaryType = keyof typeof encodingHeaders;

const typesOf = {
  unary: ["application/proto", "application/grpc", "application/grpc-web"],
  server_streaming: ["application/grpc", "application/grpc-web", "application/connect+proto"],
} as const satisfies Partial<Record<DescMethod["methodKind"], readonly BinaryType[]>>;

/** Returns an attempt for each known field of each request, nested ones too, under each of the wire types 0 to 5. */
export async function listAttempts(token: string): Promise<readonly Attempt[]> {
  const methods = (await listServices()).flatMap((service) => service.methods);
  return methods.flatMap((method) => {
    const kind = method.methodKind === "unary" ? "unary" : "server_streaming";
    const attempts = wireFieldsOf(method.input).flatMap((field) =>
      wireTypes.map((wireType): Attempt => {
        const what = `${method.name}: ${field.name} in wire type ${wireType}`;
        const message = inWireType(field, wireType);
        const ways = typesOf[kind].flatMap((type) =>
          [false, true].map((isPacked) => () => toRequest({ what, method, token, message, type, isPacked })),
        );
        return { what, isFitting: field.fitting.includes(wireType), ways };
      }),
    );
    // A stream that is opened stays open.
    return kind === "unary" ? attempts : attempts.filter(({ isFitting }) => !isFitting);
  });
}

/**
 * Sends the requests, many at the same time. Returns what is wrong: a request that is refused as INVALID_REQUEST although it
 * fits, or is not although it does not fit.
 */
export async function findWrongAnswers(
  port: number,
  requests: readonly { readonly request: HostileRequest; readonly isFitting: boolean }[],
): Promise<readonly string[]> {
  const client = createHttp2Client({ host: "127.0.0.1", port });
  const waiting = requests.values();
  const wrong: string[] = [];
  const work = async () => {
    for (const { request, isFitting } of waiting) {
      const { code, reason, complaints } = judge(request, await client.send(request));
      const isRefused = code === 3 && reason === "INVALID_REQUEST";
      if (isRefused === isFitting || complaints.length > 0)
        wrong.push(`${request.what} in ${request.type}: ${code} ${reason} ${complaints.join()}`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, work));
  client.close();
  return wrong;
}

function toRequest(made: {
  readonly what: string;
  readonly method: DescMethod;
  readonly token: string;
  readonly message: Buffer;
  readonly type: BinaryType;
  readonly isPacked: boolean;
}): HostileRequest {
  const { what, method, token, message, type, isPacked } = made;
  const data = isPacked ? gzipSync(message, { level: 1 }) : message;
  const encoding = [[encodingHeaders[type], "gzip"]] as const;
  return {
    what: isPacked ? `${what}, compressed,` : what,
    type,
    version: 2,
    verb: "POST",
    path: `/${method.parent.typeName}/${method.name}`,
    headers: [["authorization", `Bearer ${token}`], ["content-type", type], ...(isPacked ? encoding : [])],
    body: type === "application/proto" ? data : frame(data, isPacked ? 1 : 0),
  };
}

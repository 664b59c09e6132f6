import {
  create,
  type DescMethodUnary,
  fromBinary,
  fromJsonString,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { connect } from "node:http2";
import { exchange } from "./http2-exchange.ts";

/** The content types, each on a connection of its own. */
export const leanLanes = [
  "application/json",
  "application/grpc+proto",
  "application/grpc-web+proto",
] as const;
export type LeanLane = (typeof leanLanes)[number];

/** What an answer holds, before it is decoded: reading ten thousand lists takes longer than asking for them. */
export interface LeanAnswer<M extends DescMethodUnary> {
  /** The message as it came, in JSON or binary: texts are in it as they are, unless JSON escapes them. */
  readonly bytes: Buffer;
  decode(): MessageShape<M["output"]>;
}

/** A client that does no more than is needed to make very many calls. */
export interface LeanClient {
  /** Throws for an error. */
  call<M extends DescMethodUnary>(
    lane: LeanLane,
    method: M,
    request: MessageInitShape<M["input"]>,
    headers: Readonly<Record<string, string>>,
  ): Promise<LeanAnswer<M>>;
  close(): void;
}

/** Connects to a service in clear text. */
export function createLeanClient(url: string): LeanClient {
  const sessions = new Map(leanLanes.map((lane) => [lane, connect(url)]));
  return {
    async call(lane, method, request, headers) {
      const session = sessions.get(lane);
      if (session === undefined) throw new Error(`there is no lane ${lane}`);
      const message = create(method.input, request);
      // What the schema of the output decodes is an output; the type of the method is lost on the way.
      const typed = (decoded: unknown) => decoded as MessageShape<(typeof method)["output"]>;
      const isJson = lane === "application/json";
      const body = isJson
        ? Buffer.from(JSON.stringify(toJson(method.input, message)))
        : inFrame(toBinary(method.input, message));
      const path = `/${method.parent.typeName}/${method.name}`;
      const answer = await exchange(
        session,
        { ...headers, ...post, ":path": path, "content-type": lane },
        body,
      );
      if (isJson) {
        if (answer.headers[":status"] !== 200) throw new Error(`${method.name}: ${answer.bytes.toString()}`);
        return {
          bytes: answer.bytes,
          decode: () => typed(fromJsonString(method.output, answer.bytes.toString())),
        };
      }
      const bytes = answer.bytes.subarray(
        5,
        5 + (answer.bytes.length < 5 ? 0 : answer.bytes.readUInt32BE(1)),
      );
      // The trailers of gRPC-web come in a frame of their own.
      const rest = answer.bytes.subarray(5 + bytes.length + 5).toString();
      if (answer.trailers["grpc-status"] !== "0" && !/^grpc-status: ?0\r?$/m.test(rest))
        throw new Error(
          `${method.name}: ${JSON.stringify({ ...answer.headers, ...answer.trailers })} ${rest}`,
        );
      return { bytes, decode: () => typed(fromBinary(method.output, bytes)) };
    },
    close: () => {
      for (const session of sessions.values()) session.close();
    },
  };
}

const post = { ":method": "POST", te: "trailers" };

function inFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

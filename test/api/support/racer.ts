import {
  create,
  createRegistry,
  type DescMethodUnary,
  fromBinary,
  fromJsonString,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { type ClientHttp2Session, connect } from "node:http2";
import { ErrorInfoSchema, file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { type Status, StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { type Exchanged, exchange } from "./http2-exchange.ts";
import { frame } from "./wire.ts";

/** How a call with `if-match` ended. */
export type Told<M extends DescMethodUnary> =
  | { readonly kind: "answer"; readonly message: MessageShape<M["output"]> }
  /** SEQUENCE_MISMATCH, with the sequence that the object has. */
  | { readonly kind: "mismatch"; readonly current: number };

/** A call, and where it is on REST. */
export interface Asked<M extends DescMethodUnary> {
  readonly method: M;
  readonly request: MessageInitShape<M["input"]>;
  readonly verb: "GET" | "PUT";
  readonly path: string;
  readonly ifMatch?: number;
}

/**
 * A client with a connection of its own. It does no more than is needed: twenty thousand calls over the libraries of the
 * protocols would take longer than the tests may.
 */
export interface Racer {
  /** Throws for any other error than SEQUENCE_MISMATCH. */
  call<M extends DescMethodUnary>(asked: Asked<M>): Promise<Told<M>>;
  close(): void;
}

export const racingLanes = ["grpc", "grpc-web", "rest"] as const;
export type RacingLane = (typeof racingLanes)[number];

/** Connects to a service in clear text. */
export function createRacer(lane: RacingLane, url: string, token: string): Racer {
  const session = connect(url);
  const authorization = `Bearer ${token}`;
  return {
    async call(asked) {
      const headers = {
        authorization,
        ...(asked.ifMatch === undefined ? {} : { "if-match": `"${asked.ifMatch}"` }),
      };
      const { message, status } = await (lane === "rest" ? callRest : callFramed[lane])(
        session,
        asked,
        headers,
      );
      if (status === undefined) return { kind: "answer", message: message() };
      return { kind: "mismatch", current: currentOf(status) };
    },
    close: () => session.close(),
  };
}

/** An answer that is not decoded yet, or an error. */
interface Ended<M extends DescMethodUnary> {
  readonly message: () => MessageShape<M["output"]>;
  readonly status: Status | undefined;
}

type Headers = Readonly<Record<string, string>>;

const registry = createRegistry(file_google_rpc_error_details);

async function callRest<M extends DescMethodUnary>(
  session: ClientHttp2Session,
  { method, request, verb, path }: Asked<M>,
  headers: Headers,
): Promise<Ended<M>> {
  const body = verb === "GET" ? undefined : toJsonString(method.input, create(method.input, request));
  const ofBody: Headers = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await exchange(session, { ...headers, ...ofBody, ":method": verb, ":path": path }, body);
  const text = answer.bytes.toString();
  return {
    message: () => fromJsonString(method.output, text) as MessageShape<M["output"]>, // what its schema decodes
    status: answer.headers[":status"] === 200 ? undefined : fromJsonString(StatusSchema, text, { registry }),
  };
}

const callFramed = {
  grpc: <M extends DescMethodUnary>(session: ClientHttp2Session, asked: Asked<M>, headers: Headers) =>
    callFrames(session, asked, { ...headers, "content-type": "application/grpc+proto" }),
  "grpc-web": <M extends DescMethodUnary>(session: ClientHttp2Session, asked: Asked<M>, headers: Headers) =>
    callFrames(session, asked, { ...headers, "content-type": "application/grpc-web+proto" }),
};

async function callFrames<M extends DescMethodUnary>(
  session: ClientHttp2Session,
  { method, request }: Asked<M>,
  headers: Headers,
): Promise<Ended<M>> {
  const path = `/${method.parent.typeName}/${method.name}`;
  const body = frame(toBinary(method.input, create(method.input, request)));
  const answer = await exchange(
    session,
    { ...headers, ":method": "POST", ":path": path, te: "trailers" },
    body,
  );
  // A failed call of gRPC has no frame, and one of gRPC-web only that of the trailers, whose first byte is 0x80.
  const hasMessage = answer.bytes.length > 5 && answer.bytes[0] === 0;
  const end = hasMessage ? 5 + answer.bytes.readUInt32BE(1) : 0;
  return {
    message: () => fromBinary(method.output, answer.bytes.subarray(5, end)) as MessageShape<M["output"]>, // as above
    status: hasMessage ? undefined : statusOf(answer),
  };
}

function statusOf({ headers, trailers, bytes }: Exchanged): Status {
  const [, ofWeb] = /^grpc-status-details-bin: ?(\S+)/m.exec(bytes.toString("latin1")) ?? [];
  const details = ofWeb ?? trailers["grpc-status-details-bin"] ?? headers["grpc-status-details-bin"];
  return fromBinary(StatusSchema, Buffer.from(String(details), "base64"));
}

function currentOf(status: Status): number {
  const infos = status.details.flatMap((detail) => anyUnpack(detail, ErrorInfoSchema) ?? []);
  const current = infos.find(({ reason }) => reason === "SEQUENCE_MISMATCH")?.metadata["sequence"];
  if (current === undefined) throw new Error(`refused otherwise: ${status.code} ${status.message}`);
  return Number(current);
}

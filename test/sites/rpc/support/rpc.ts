import {
  create,
  type DescMethodUnary,
  fromBinary,
  type JsonValue,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { createRegistry } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { file_google_rpc_error_details } from "../../../../gen/google/rpc/error_details_pb.ts";
import type { Loose } from "../../../kernel/http/support/http.ts";
import { StatusSchema } from "../../../../gen/google/rpc/status_pb.ts";

const registry = createRegistry(file_google_rpc_error_details);

/** Returns what grpc-status-details-bin says, in the form that JSON errors have. */
export function readStatus(bytes: Uint8Array): { code: number; message: string; details: JsonValue[] } {
  const { code, message, details } = fromBinary(StatusSchema, bytes);
  return {
    code,
    message,
    details: details.map((detail) =>
      toJson(AnySchema, create(AnySchema, detail), { registry, alwaysEmitImplicit: true }),
    ),
  };
}

export interface GrpcOutcome {
  readonly answer?: Loose;
  readonly error?: ServiceError;
  readonly status?: ReturnType<typeof readStatus>;
  readonly initial?: Record<string, unknown>;
}

/** Makes a unary call with grpc-js. The request is a message, or bytes to send as they are. */
export function callGrpc(
  client: Client,
  method: DescMethodUnary,
  request: object | Uint8Array,
  options: { metadata?: Record<string, string>; deadlineMs?: number; gzip?: boolean } = {},
): Promise<GrpcOutcome> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ authorization: "Bearer good", ...options.metadata })) {
    if (value !== "") metadata.set(name, value);
  }
  const serialize = (message: object | Uint8Array): Buffer =>
    Buffer.from(
      message instanceof Uint8Array
        ? message
        : toBinary(method.input, create(method.input, message as never)),
    );
  const deserialize = (bytes: Buffer) => fromBinary(method.output, bytes);
  return new Promise((resolve) => {
    let initial: Record<string, unknown> | undefined;
    const call = client.makeUnaryRequest(
      `/${method.parent.typeName}/${method.name}`,
      serialize,
      deserialize,
      request,
      metadata,
      options.deadlineMs === undefined ? {} : { deadline: Date.now() + options.deadlineMs },
      (error, answer) => {
        const bytes = error?.metadata.get("grpc-status-details-bin")[0];
        resolve({
          ...(error === null ? { answer } : { error }),
          ...(bytes === undefined ? {} : { status: readStatus(bytes as Buffer) }),
          ...(initial === undefined ? {} : { initial }),
        });
      },
    );
    call.on("metadata", (received: Metadata) => (initial = received.getMap()));
  });
}

export function createGrpcClient(port: number, options: Record<string, unknown> = {}): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    ...options,
  });
}

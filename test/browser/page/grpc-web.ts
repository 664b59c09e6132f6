import {
  create,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  type JsonObject,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { GrpcWebClientBase, MethodDescriptor, MethodType, type RpcError } from "grpc-web";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { parseDetails, toErrorStatus } from "./error-status.ts";
import type { PageCall, PageOutcome, PageStream, PageStreamOutcome } from "./protocol.ts";

/**
 * Calls through the official gRPC-web runtime, which wants of the generated code only how a message becomes bytes. Throws
 * when `grpc-status` and `grpc-status-details-bin` differ.
 */
export async function callByGrpcWeb(
  method: DescMethodUnary,
  call: PageCall,
  format: "binary" | "text",
): Promise<PageOutcome> {
  const client = new GrpcWebClientBase({ format });
  const path = `${call.url}/${method.parent.typeName}/${method.name}`;
  const request = fromJson(method.input, call.request);
  // In text the runtime tells of an error as soon as it has read it, and of the headers only at the end.
  const { promise: received, resolve: receive } = Promise.withResolvers<Readonly<Record<string, string>>>();
  const { error, answer } = await new Promise<{ error: RpcError | null; answer: Message }>((resolve) => {
    const stream = client.rpcCall(
      path,
      request,
      { ...call.headers },
      descriptorOf(method),
      (failure: RpcError | null, message) => resolve({ error: failure, answer: message }),
    );
    stream.on("metadata", receive);
  });
  const headers = await received;
  if (error === null) {
    const json = toJson(method.output, answer, { alwaysEmitImplicit: true }) as JsonObject; // that of a message of ours
    return { kind: "answer", json, headers };
  }
  return { kind: "error", status: statusOf(error), headers: { ...headers, ...error.metadata } };
}

/**
 * Opens a stream through the official gRPC-web runtime, which reads one while it comes only in text, and waits for answers of
 * it or its end.
 */
export function streamByGrpcWeb(
  method: DescMethodServerStreaming,
  { url, request, headers, count }: PageStream,
): Promise<PageStreamOutcome> {
  const path = `${url}/${method.parent.typeName}/${method.name}`;
  const answers: JsonObject[] = [];
  return new Promise((resolve) => {
    const stream = new GrpcWebClientBase({ format: "text" }).serverStreaming(
      path,
      fromJson(method.input, request),
      { ...headers },
      descriptorOf(method),
    );
    stream.on("data", (answer) => {
      answers.push(toJson(method.output, answer, { alwaysEmitImplicit: true }) as JsonObject); // a message of ours
      if (answers.length < count) return;
      stream.cancel();
      resolve({ answers, ended: undefined });
    });
    stream.on("error", (error) => resolve({ answers, ended: statusOf(error) }));
    stream.on("end", () => resolve({ answers, ended: { code: 0, message: "", details: [] } }));
  });
}

function descriptorOf(
  method: DescMethodUnary | DescMethodServerStreaming,
): MethodDescriptor<Message, Message> {
  // The runtime keeps the two classes and never makes an object of them.
  const unused = Object as unknown as new () => Message;
  return new MethodDescriptor<Message, Message>(
    `/${method.parent.typeName}/${method.name}`,
    method.methodKind === "unary" ? MethodType.UNARY : MethodType.SERVER_STREAMING,
    unused,
    unused,
    (message: Message) => toBinary(method.input, message),
    (bytes: Uint8Array) => fromBinary(method.output, bytes),
  );
}

function statusOf({ code, message, metadata }: RpcError) {
  const details = metadata["grpc-status-details-bin"];
  if (details === undefined) return toErrorStatus(create(StatusSchema, { code, message }));
  const status = parseDetails(details);
  const outer: number = code;
  if (status.code !== outer || status.message !== message)
    throw new Error(`grpc-status says ${code} ${message}, its details ${status.code} ${status.message}`);
  return toErrorStatus(status);
}

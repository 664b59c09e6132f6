import {
  create,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { type CallOptions, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { toErrorStatus } from "./error-status.ts";
import type { PageCall, PageOutcome } from "./protocol.ts";

type Protocol = "grpc-web" | "connect json" | "connect proto";

/** Calls through connect-web. */
export async function callByConnectWeb(
  method: DescMethodUnary,
  call: PageCall,
  protocol: Protocol,
): Promise<PageOutcome> {
  // The client is typed by a descriptor that is found at run time.
  const client = createClient(method.parent, transportOf(protocol, call.url)) as unknown as Record<
    string,
    (
      request: MessageShape<typeof method.input>,
      options: CallOptions,
    ) => Promise<MessageShape<typeof method.output>>
  >;
  let headers: Record<string, string> = {};
  const collect = (received: Headers) => {
    headers = { ...headers, ...Object.fromEntries(received) };
  };
  try {
    const answer = await client[method.localName]!(fromJson(method.input, call.request), {
      headers: { ...call.headers },
      onHeader: collect,
      onTrailer: collect,
    });
    const json = toJson(method.output, answer, { alwaysEmitImplicit: true }) as JsonObject; // that of a message of ours
    return { kind: "answer", json, headers };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    collect(error.metadata);
    return { kind: "error", status: statusOf(error), headers };
  }
}

function transportOf(protocol: Protocol, baseUrl: string): Transport {
  switch (protocol) {
    case "grpc-web":
      return createGrpcWebTransport({ baseUrl });
    case "connect json":
      return createConnectTransport({ baseUrl, useBinaryFormat: false });
    case "connect proto":
      return createConnectTransport({ baseUrl, useBinaryFormat: true });
  }
}

function statusOf(error: ConnectError) {
  const details = error.details.flatMap((detail) =>
    "type" in detail ? [{ typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }] : [],
  );
  return toErrorStatus(create(StatusSchema, { code: error.code, message: error.rawMessage, details }));
}

import {
  create,
  createRegistry,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  type Client as ConnectClient,
  ConnectError,
  createClient,
  type Transport,
} from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import { canaries } from "./canaries.ts";
import { createHttpClient, type HttpAnswer } from "./http-client.ts";
import { oncePerKey } from "./once-per-key.ts";

/** How a call ended, in the same form whatever the content type. */
export type Outcome =
  | { readonly kind: "answer"; readonly json: JsonObject; readonly headers: Headers }
  | {
      readonly kind: "error";
      readonly status: ErrorStatus;
      readonly headers: Headers;
      readonly httpStatus?: number;
    };

/** google.rpc.Status in protobuf JSON. */
export interface ErrorStatus {
  readonly code: number;
  readonly message: string;
  readonly details: readonly JsonObject[];
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A real client of one content type. */
export interface LaneClient {
  readonly lane: Lane;
  call<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    options?: CallOptions,
  ): Promise<Outcome>;
  close(): void;
}

export const lanes = ["rest", "json", "grpc", "grpc-web"] as const;
export type Lane = (typeof lanes)[number];

const registry = createRegistry(file_google_rpc_error_details);

/** Returns a client of the lane for a server at `url` (clear text). */
export function createLaneClient(lane: Lane, url: string): LaneClient {
  const client = createUnwatchedClient(lane, url);
  return { ...client, call: watched(client.call) };
}

/** Makes a call. */
type CallMethod = LaneClient["call"];

/** Returns the same call; the secrets in it, and what comes back, are remembered for the scan at the end. */
export function watched(call: CallMethod): CallMethod {
  return async (method, request, options = {}) => {
    canaries.noteRequest(method, request, options);
    const outcome = await call(method, request, options);
    canaries.noteOutcome(method, outcome);
    return outcome;
  };
}

function createUnwatchedClient(lane: Lane, url: string): LaneClient {
  switch (lane) {
    case "rest":
      return createRestClient(url);
    case "json":
      return createJsonClient(url);
    case "grpc":
      return createGrpcClient(url);
    case "grpc-web":
      return createGrpcWebClient(url);
  }
}

function headersOf(options: CallOptions): Record<string, string> {
  return {
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  };
}

function createJsonClient(url: string): LaneClient {
  const client = createHttpClient(url);
  return {
    lane: "json",
    async call(method, request, options = {}) {
      const body = JSON.stringify(toJson(method.input, create(method.input, request)));
      const path = `/${method.parent.typeName}/${method.name}`;
      const headers = { "content-type": "application/json", ...headersOf(options) };
      return toOutcome(await client.send({ method: "POST", path, headers, body }));
    },
    close: () => client.close(),
  };
}

function createRestClient(url: string): LaneClient {
  const client = createHttpClient(url);
  return {
    lane: "rest",
    async call(method, request, options = {}) {
      // The JSON of a message is an object for every message of ours.
      const json = toJson(method.input, create(method.input, request), {
        useProtoFieldName: true,
      }) as JsonObject;
      const { verb, path, rest } = toRestCall(method, json);
      const headers = headersOf(options);
      if (verb === "GET" || verb === "DELETE")
        return toOutcome(await client.send({ method: verb, path: path + toQuery(rest), headers }));
      const ofBody = { "content-type": "application/json", ...headers };
      return toOutcome(
        await client.send({ method: verb, path, headers: ofBody, body: JSON.stringify(rest) }),
      );
    },
    close: () => client.close(),
  };
}

const ruleOf = oncePerKey((method: DescMethodUnary) => getOption(method, http));

function toRestCall(method: DescMethodUnary, json: JsonObject) {
  const { pattern } = ruleOf(method);
  if (pattern.case === undefined || pattern.case === "custom")
    throw new Error(`${method.name} has no REST path`);
  const rest = { ...json };
  const path = pattern.value.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(typeof value === "string" ? value : "");
  });
  return { verb: pattern.case.toUpperCase(), path, rest };
}

function toQuery(fields: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    query.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function toOutcome({ status, headers, text }: HttpAnswer): Outcome {
  const json = JSON.parse(text) as JsonObject; // both bodies are objects
  if (status >= 200 && status < 300) return { kind: "answer", json, headers };
  return { kind: "error", status: json as unknown as ErrorStatus, headers, httpStatus: status };
}

function createGrpcClient(url: string): LaneClient {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  return {
    lane: "grpc",
    async call(method, request, options = {}) {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headersOf(options))) metadata.set(name, value);
      let initial = new Headers();
      const { error, answer } = await new Promise<{
        error: ServiceError | null;
        answer: Message | undefined;
      }>((resolve) => {
        const call = client.makeUnaryRequest(
          `/${method.parent.typeName}/${method.name}`,
          (message: typeof request) => Buffer.from(toBinary(method.input, create(method.input, message))),
          (bytes: Buffer) => fromBinary(method.output, bytes),
          request,
          metadata,
          (failure: ServiceError | null, message) => resolve({ error: failure, answer: message }),
        );
        call.on("metadata", (received: Metadata) => {
          initial = merge(initial, received);
        });
      });
      return error === null ? answerOf(method, answer, initial) : refusalOf(error, initial);
    },
    close: () => client.close(),
  };
}

function answerOf(method: DescMethodUnary, answer: Message | undefined, headers: Headers): Outcome {
  if (answer === undefined) throw new Error("neither an error nor an answer");
  // The JSON of a message is an object for every message of ours.
  return {
    kind: "answer",
    json: toJson(method.output, answer, { alwaysEmitImplicit: true, registry }) as JsonObject,
    headers,
  };
}

function refusalOf(error: ServiceError, headers: Headers): Outcome {
  return { kind: "error", status: statusOf(error), headers: merge(headers, error.metadata) };
}

function statusOf(error: ServiceError): ErrorStatus {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(bytes)) return { code: error.code, message: error.details, details: [] };
  const status = fromBinary(StatusSchema, bytes);
  const code: number = error.code;
  if (status.code !== code || status.message !== error.details)
    throw new Error("grpc-status and its details differ");
  return toJson(StatusSchema, status, { registry }) as unknown as ErrorStatus;
}

function merge(headers: Headers, metadata: Metadata): Headers {
  const merged = new Headers(headers);
  for (const [name, value] of Object.entries(metadata.getMap()))
    merged.set(name, Buffer.isBuffer(value) ? value.toString("base64") : value);
  return merged;
}

function createGrpcWebClient(url: string): LaneClient {
  const transport = createGrpcWebTransport({ baseUrl: url });
  return {
    lane: "grpc-web",
    call: async (method, request, options = {}) => await callByConnect(transport, method, request, options),
    close: () => undefined,
  };
}

/** Makes a call through any Connect transport. */
export async function callByConnect<M extends DescMethodUnary>(
  transport: Transport,
  method: M,
  request: MessageInitShape<M["input"]>,
  options: CallOptions = {},
): Promise<Outcome> {
  const client: ConnectClient<typeof method.parent> = createClient(method.parent, transport);
  const run = client[method.localName] as unknown as (
    message: MessageInitShape<M["input"]>,
    options: { headers: Record<string, string>; onHeader: (headers: Headers) => void },
  ) => Promise<unknown>;
  let initial = new Headers();
  try {
    const answer = await run(request, {
      headers: headersOf(options),
      onHeader: (headers) => {
        initial = headers;
      },
    });
    const json = toJson(method.output, answer as never, { alwaysEmitImplicit: true, registry }) as JsonObject;
    return { kind: "answer", json, headers: initial };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return { kind: "error", status: statusOfConnect(error), headers: error.metadata };
  }
}

function statusOfConnect(error: ConnectError): ErrorStatus {
  const details = error.details.flatMap((detail) =>
    "type" in detail ? [{ typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }] : [],
  );
  const status = create(StatusSchema, { code: error.code, message: error.rawMessage, details });
  return toJson(StatusSchema, status, { registry }) as unknown as ErrorStatus;
}

/** Returns a message from its protobuf JSON; for tests that hold requests as data. */
export function toRequest<M extends DescMethodUnary>(
  method: M,
  json: JsonValue,
): MessageInitShape<M["input"]> {
  return fromJson(method.input, json) as MessageInitShape<M["input"]>; // a message is its own init shape
}

import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { Event } from "../../../gen/gatehouse/v1/event_pb.ts";
import {
  EventService,
  type WatchEventsRequestSchema,
  type WatchEventsResponse,
} from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { ErrorInfoSchema, file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { fetchInText } from "../../support/web-text.ts";
import { createRegistry } from "@bufbuild/protobuf";

const method = EventService.method.watchEvents;
const registry = createRegistry(file_google_rpc_error_details);

/** The protocols that carry streams. */
export const streamLanes = ["grpc", "grpc-web", "grpc-web-text", "connect-json", "connect-proto"] as const;
export type StreamLane = (typeof streamLanes)[number];

export interface WatchOptions {
  readonly token: string;
  /** x-service-orgid. */
  readonly on?: string;
  /** Further headers, or others. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Is waited for before the next event is taken. */
  readonly onEvent?: (event: Event) => void | Promise<void>;
}

export interface Ending {
  /** Canonical code; 0 for a stream that ended by itself. */
  readonly code: number;
  readonly reason: string | undefined;
  readonly message: string;
}

/** An open watch, by a real client. */
export interface Watch {
  /** What has arrived so far. */
  readonly events: readonly Event[];
  /** The bookmarks that have arrived so far. */
  readonly bookmarks: readonly bigint[];
  /** Resolves once the headers of the answer are there. */
  readonly opened: Promise<void>;
  readonly ended: Promise<Ending>;
  /** Resolves once that holds for what has arrived. Rejects when the watch ends before. */
  until(holds: (events: readonly Event[]) => boolean): Promise<void>;
  cancel(): void;
}

/** Opens a watch at `url` (clear text). */
export function openWatch(
  lane: StreamLane,
  url: string,
  request: MessageInitShape<typeof WatchEventsRequestSchema>,
  options: WatchOptions,
): Watch {
  const events: Event[] = [];
  const bookmarks: bigint[] = [];
  const opened = Promise.withResolvers<void>();
  let onProgress = () => {};
  const take = async ({ event, bookmark }: Answer) => {
    if (event === undefined) {
      if (!request.bookmarks) throw new Error("an answer without event");
      bookmarks.push(bookmark);
      return onProgress();
    }
    if (bookmark !== 0n) throw new Error("an event with a bookmark");
    events.push(event);
    onProgress();
    await options.onEvent?.(event);
  };
  const open = lane === "grpc" ? openByGrpc : openByConnect;
  const { ended, cancel } = open(lane, url, create(method.input, request), {
    ...options,
    take,
    onOpen: () => opened.resolve(),
  });
  return {
    events,
    bookmarks,
    opened: opened.promise,
    ended,
    cancel,
    until: (holds) =>
      new Promise((resolve, reject) => {
        onProgress = () => {
          if (holds(events)) resolve();
        };
        onProgress();
        ended.then((ending) => reject(new Error(`the watch has ended: ${JSON.stringify(ending)}`)), reject);
      }),
  };
}

type Answer = Pick<WatchEventsResponse, "event" | "bookmark">;

interface Opening extends WatchOptions {
  take(answer: Answer): Promise<void>;
  onOpen(): void;
}

function headersOf({ token, on, headers }: WatchOptions): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    ...(on === undefined ? {} : { "x-service-orgid": on }),
    ...headers,
  };
}

type Request = ReturnType<typeof create<typeof WatchEventsRequestSchema>>;

function openByGrpc(_lane: StreamLane, url: string, request: Request, options: Opening) {
  const client = new Client(new URL(url).host, credentials.createInsecure(), { "grpc.enable_retries": 0 });
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headersOf(options))) metadata.set(name, value);
  const stream = client.makeServerStreamRequest(
    `/${method.parent.typeName}/${method.name}`,
    (message: Request) => Buffer.from(toBinary(method.input, message)),
    (bytes: Buffer) => fromBinary(method.output, bytes),
    request,
    metadata,
    options.timeoutMs === undefined ? {} : { deadline: Date.now() + options.timeoutMs },
  );
  stream.once("metadata", () => options.onOpen());
  const read = async (): Promise<Ending> => {
    try {
      for await (const answer of stream) await options.take(answer as Answer);
      return { code: 0, reason: undefined, message: "" };
    } catch (error) {
      const { code, details, metadata: trailers } = error as ServiceError;
      const [bytes] = trailers?.get("grpc-status-details-bin") ?? [];
      return { code, message: details, reason: Buffer.isBuffer(bytes) ? reasonOf(bytes) : undefined };
    } finally {
      client.close();
    }
  };
  return { ended: read(), cancel: () => stream.cancel() };
}

function reasonOf(bytes: Buffer): string | undefined {
  for (const detail of fromBinary(StatusSchema, bytes).details) {
    const message = anyUnpack(detail, registry);
    if (message?.$typeName === ErrorInfoSchema.typeName)
      return (message as unknown as { reason: string }).reason;
  }
  return undefined;
}

function openByConnect(lane: StreamLane, url: string, request: Request, options: Opening) {
  const transport =
    lane === "grpc-web" || lane === "grpc-web-text"
      ? createGrpcWebTransport({ baseUrl: url, ...(lane === "grpc-web" ? {} : { fetch: fetchInText }) })
      : createConnectTransport({ baseUrl: url, useBinaryFormat: lane === "connect-proto" });
  const client = createClient(EventService, transport);
  const controller = new AbortController();
  const { timeoutMs } = options;
  const read = async (): Promise<Ending> => {
    try {
      const stream = client.watchEvents(request, {
        headers: headersOf(options),
        signal: controller.signal,
        onHeader: () => options.onOpen(),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      for await (const answer of stream) await options.take(answer);
      return { code: 0, reason: undefined, message: "" };
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      const [info] = error.findDetails(ErrorInfoSchema);
      return { code: error.code, reason: info?.reason, message: error.rawMessage };
    }
  };
  return { ended: read(), cancel: () => controller.abort() };
}

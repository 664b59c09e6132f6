import type { JsonObject } from "@bufbuild/protobuf";
import type { ErrorStatus } from "../../support/clients.ts";

/**
 * The clients that run in the page: the official gRPC-web runtime with each of its formats, of which text is its default, and
 * connect-web with each of its protocols.
 */
export const pageClients = [
  "grpc-web",
  "grpc-web in text",
  "connect-web as grpc-web",
  "connect-web as connect json",
  "connect-web as connect proto",
] as const;
export type PageClient = (typeof pageClients)[number];

/** A call for the page to make. */
export interface PageCall {
  /** Where the service listens. */
  readonly url: string;
  readonly client: PageClient;
  /** Full name, such as `gatehouse.v1.UserService`. */
  readonly service: string;
  readonly rpc: string;
  /** Protobuf JSON. */
  readonly request: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** How it ended, as far as the page can see: of the headers those that the browser lets it read, trailers included. */
export type PageOutcome =
  | {
      readonly kind: "answer";
      readonly json: JsonObject;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "error";
      readonly status: ErrorStatus;
      readonly headers: Readonly<Record<string, string>>;
    };

/** A stream for the page to open through the official gRPC-web runtime. */
export interface PageStream extends Omit<PageCall, "client"> {
  /** How many answers to wait for. */
  readonly count: number;
}

/** What came of it. */
export interface PageStreamOutcome {
  /** In protobuf JSON. */
  readonly answers: readonly JsonObject[];
  /** How the stream ended; undefined: it was open when the last of the answers had come, and was cancelled then. */
  readonly ended: ErrorStatus | undefined;
}

/** A request for the page to make by `fetch`, without any client. */
export interface PageRequest {
  readonly url: string;
  readonly verb: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: "include";
}

/** What `fetch` gave the page: an answer that it may read, or the name of the error that it threw. */
export type PageResponse =
  | {
      readonly kind: "answer";
      readonly httpStatus: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | { readonly kind: "refused"; readonly error: string };

/** What `navigator.credentials.create` gave the page: RegistrationResponseJSON, or the name of the error that it threw. */
export type PageCredential =
  | { readonly kind: "credential"; readonly json: JsonObject }
  | { readonly kind: "refused"; readonly error: string };

/** What the test calls in the page; there it is `globalThis.gatehouse`. Values go both ways as JSON. */
export interface PageFunctions {
  call(call: PageCall): Promise<PageOutcome>;
  stream(stream: PageStream): Promise<PageStreamOutcome>;
  request(request: PageRequest): Promise<PageResponse>;
  /** `options` are PublicKeyCredentialCreationOptionsJSON (WebAuthn §5.4). */
  createCredential(options: JsonObject): Promise<PageCredential>;
}

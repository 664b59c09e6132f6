import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { sendTraced } from "../base/tracing/tracing.ts";
import { type ConnectionSetup, lookupOf, resolveChecked } from "./connection.ts";
import { hostOf } from "./target.ts";

/** A POST over a connection that is kept. */
export interface KeptPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For everything together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Default: the body of the answer is not for anybody. */
  readonly maxBytes?: number | undefined;
}

/** The result of such a POST. */
export type KeptPostOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Undefined: nobody has asked for the body, or it did not come whole within the limits. */
      readonly bytes?: Uint8Array | undefined;
    }
  | { readonly kind: "forbidden" | "unreachable" };

/**
 * Posts to one URL over connections that are kept as long as possible: one message after the other over a single one, unless more are
 * allowed. The addresses are checked whenever one is opened.
 */
export interface KeptConnection {
  /** Never rejects; a POST whose signal is aborted is unreachable. A redirect is an answer as others are. */
  post(message: KeptPost): Promise<KeptPostOutcome>;
  close(): void;
}

/** More of an answer is not read: the connection is closed instead. */
const maxAnswerBytes = 65_536;

/** How connections are kept. */
export interface KeptConnectionOptions {
  /** How many messages are sent at the same time; others wait. Default: 1. */
  readonly maxConnections?: number;
  /** When a connection is closed over which nothing goes. Default: when the receiver closes it. */
  readonly idleMs?: number;
}

/** Creates what connects with the first message. */
export function createKeptConnection(
  setup: ConnectionSetup,
  url: URL,
  { maxConnections = 1, idleMs }: KeptConnectionOptions = {},
): KeptConnection {
  const isSecure = url.protocol === "https:";
  const idle = idleMs === undefined ? {} : { timeout: idleMs };
  const options = { keepAlive: true, maxSockets: maxConnections, keepAliveMsecs: 15_000, ...idle };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const begin = isSecure ? requestHttps : requestHttp;
  const host = hostOf(url);
  const target = {
    host,
    port: url.port === "" ? undefined : url.port,
    path: url.pathname + url.search,
    method: "POST",
    agent,
    lookup: checkedLookup(setup, url),
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    ...(setup.secureContext === undefined ? {} : { secureContext: setup.secureContext }),
  };
  const attempt = (message: KeptPost): Promise<Tried> => {
    const headers = { accept: "*/*", "user-agent": "gatehouse", ...message.headers };
    const length = { "content-length": Buffer.byteLength(message.body) };
    return sendTraced(setup.tracing, { host, method: "POST" }, async (traced) => {
      const request = begin({ ...target, headers: { ...headers, ...length, ...traced.headers } });
      const tried = await send(request, message);
      traced.answered(tried.status ?? 0);
      return tried;
    });
  };
  return {
    async post(message) {
      if (setup.rules.violationOf(url) !== undefined) return { kind: "forbidden" };
      if (isIP(host) !== 0 && !setup.rules.mayConnect(url, host)) return { kind: "forbidden" };
      if (message.signal?.aborted === true) return { kind: "unreachable" };
      const tried = await attempt(message);
      // The receiver has closed the connection while it was not in use: nothing was read of the message.
      const { status, bytes } = tried.wasStale ? await attempt(message) : tried;
      return status === undefined ? { kind: "unreachable" } : { kind: "answered", status, bytes };
    },
    close: () => agent.destroy(),
  };
}

interface Tried {
  readonly status: number | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly wasStale: boolean;
}

/** Sends the request, and reads the answer to its end so that the connection can be used again. */
function send(request: ClientRequest, { body, timeoutMs, signal, maxBytes }: KeptPost): Promise<Tried> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let bytes: Uint8Array | undefined;
    let wasStale = false;
    const giveUp = () => request.destroy();
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener("abort", giveUp);
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      resolve({ status, bytes, wasStale: status === undefined && wasStale });
    };
    request.on("response", (response) => {
      status = response.statusCode;
      read(response, request, { maxBytes, onEnd: (whole) => void (bytes = whole), done });
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      wasStale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      done();
    });
    request.on("close", done);
    request.end(body);
  });
}

function read(
  response: IncomingMessage,
  request: ClientRequest,
  how: {
    readonly maxBytes: number | undefined;
    readonly onEnd: (whole: Uint8Array | undefined) => void;
    readonly done: () => void;
  },
): void {
  const { maxBytes, onEnd, done } = how;
  const chunks: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (maxBytes !== undefined) chunks.push(chunk);
    if (size > (maxBytes ?? maxAnswerBytes)) request.destroy();
  });
  response.on("end", () => {
    if (maxBytes !== undefined && size <= maxBytes) onEnd(new Uint8Array(Buffer.concat(chunks)));
    done();
  });
  response.on("error", done);
}

/** Looks the host up when a connection is opened, and refuses it unless all of its addresses are allowed. */
function checkedLookup(setup: ConnectionSetup, url: URL): LookupFunction {
  return (hostname, { all }, callback) => {
    const look = async (): Promise<void> => {
      try {
        const addresses = await resolveChecked(setup, url, AbortSignal.timeout(lookupMs));
        lookupOf(addresses)(hostname, { all }, callback);
      } catch (error) {
        process.nextTick(callback, error, []);
      }
    };
    void look();
  };
}

const lookupMs = 10_000;

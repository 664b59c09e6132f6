import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type ConnectionSetup, lookupOf, resolveChecked } from "./connection.ts";
import { hostOf } from "./target.ts";

/** A POST over a connection that is kept. */
export interface KeptPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For everything together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The result of such a POST. The body of the answer is not for anybody. */
export type KeptPostOutcome =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "forbidden" | "unreachable" };

/**
 * Posts to one URL, one message after the other, over one connection that is kept as long as possible. The addresses are checked
 * whenever it is opened.
 */
export interface KeptConnection {
  /** Never rejects; a POST whose signal is aborted is unreachable. A redirect is an answer as others are. */
  post(message: KeptPost): Promise<KeptPostOutcome>;
  close(): void;
}

/** More of an answer is not read: the connection is closed instead. */
const maxAnswerBytes = 65_536;

/** Creates a connection that is opened with the first message. */
export function createKeptConnection(setup: ConnectionSetup, url: URL): KeptConnection {
  const isSecure = url.protocol === "https:";
  const options = { keepAlive: true, maxSockets: 1, keepAliveMsecs: 15_000 };
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
    return send(begin({ ...target, headers: { ...headers, ...length } }), message);
  };
  return {
    async post(message) {
      if (setup.rules.violationOf(url) !== undefined) return { kind: "forbidden" };
      if (isIP(host) !== 0 && !setup.rules.mayConnect(url, host)) return { kind: "forbidden" };
      if (message.signal?.aborted === true) return { kind: "unreachable" };
      const tried = await attempt(message);
      // The receiver has closed the connection while it was not in use: nothing was read of the message.
      const status = tried.wasStale ? (await attempt(message)).status : tried.status;
      return status === undefined ? { kind: "unreachable" } : { kind: "answered", status };
    },
    close: () => agent.destroy(),
  };
}

interface Tried {
  readonly status: number | undefined;
  readonly wasStale: boolean;
}

/** Sends the request, and reads the answer to its end so that the connection can be used again. */
function send(request: ClientRequest, { body, timeoutMs, signal }: KeptPost): Promise<Tried> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let wasStale = false;
    const giveUp = () => request.destroy();
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener("abort", giveUp);
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      resolve({ status, wasStale: status === undefined && wasStale });
    };
    request.on("response", (response) => {
      status = response.statusCode;
      drain(response, request, done);
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      wasStale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      done();
    });
    request.on("close", done);
    request.end(body);
  });
}

function drain(response: IncomingMessage, request: ClientRequest, done: () => void): void {
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) request.destroy();
  });
  response.on("end", done);
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

import { Agent, request as requestHttp } from "node:http";
import { connect as connectHttp2, constants } from "node:http2";

/** How a call ended. */
export type Ending =
  | { readonly kind: "answer"; readonly json: Json }
  /** An error that the service has answered, with its canonical code; 14 also for a stream that it did not take. */
  | { readonly kind: "refused"; readonly code: number; readonly status: number }
  /** No answer came: whether the call had an effect is not known. */
  | { readonly kind: "cut" };

/** What JSON.parse returns for an answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests read fields of many messages
export type Json = any;

/** A client of JSON with as little work of its own as there can be: it shares two cores with the service. */
export interface Caller {
  /** Calls `ProjectService/AddProject` or another method. Does not reject. */
  call(method: string, body: object): Promise<Ending>;
  close(): void;
}

/** Makes a client with one HTTP/2 connection, or with connections of HTTP/1.1 that it keeps. */
export function createCaller(url: string, token: string, version: "1.1" | "2"): Caller {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return version === "2" ? createHttp2Caller(url, headers) : createHttp1Caller(url, headers);
}

/** The service has not taken the call. */
const neverSent: Ending = { kind: "refused", code: 14, status: 0 };

type Headers = Readonly<Record<string, string>>;

function createHttp1Caller(url: string, headers: Headers): Caller {
  const agent = new Agent({ keepAlive: true });
  return {
    call: (method, body) =>
      new Promise((resolve) => {
        const sent = requestHttp(`${url}/gatehouse.v1.${method}`, { agent, method: "POST", headers });
        sent.on("error", ({ code }: NodeJS.ErrnoException) =>
          resolve(code === "ECONNREFUSED" ? neverSent : { kind: "cut" }),
        );
        sent.on("response", (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", () => resolve({ kind: "cut" }));
          response.on("end", () => resolve(toEnding(response.statusCode ?? 0, chunks)));
        });
        sent.end(JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}

function createHttp2Caller(url: string, headers: Headers): Caller {
  const session = connectHttp2(url);
  session.on("error", () => {}); // each of its calls hears of it
  const call = (method: string, body: object) =>
    new Promise<Ending>((resolve) => {
      if (session.closed || session.destroyed) {
        resolve(neverSent); // was told to stop, or nobody is there
        return;
      }
      const stream = session.request({ ":method": "POST", ":path": `/gatehouse.v1.${method}`, ...headers });
      const chunks: Buffer[] = [];
      let status = 0;
      stream.on("error", () => {});
      stream.on("response", (received) => {
        status = received[":status"] ?? 0;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (status !== 0) resolve(toEnding(status, chunks));
      });
      stream.on("close", () => {
        const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        resolve(isRefused ? neverSent : { kind: "cut" });
      });
      stream.end(JSON.stringify(body));
    });
  return { call, close: () => session.destroy() };
}

function toEnding(status: number, chunks: readonly Buffer[]): Ending {
  try {
    const json: Json = JSON.parse(Buffer.concat(chunks).toString());
    return status === 200 ? { kind: "answer", json } : { kind: "refused", code: Number(json.code), status };
  } catch {
    return { kind: "cut" }; // half of an answer
  }
}

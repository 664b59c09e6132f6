import { Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Caller, Ending, Json } from "../../../faults/support/calls.ts";
import type { Random } from "../../../hostile/support/random.ts";

/** How a call ended, with what a refusal says of it. */
export type RoamingEnding =
  | Exclude<Ending, { kind: "refused" }>
  | (Extract<Ending, { kind: "refused" }> & { readonly reason: string; readonly metadata: Json });

/** A call of the past. */
export interface PastCall {
  readonly method: string;
  /** The number of the process that it was sent to last. */
  readonly process: number;
  /** On the clock of `performance.now()`. */
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: RoamingEnding["kind"];
}

/**
 * A client who sends each call to a process drawn at random, and tries another one when nobody listens there. Clients learn
 * that a process stands still, and send it nothing new: otherwise all of them would soon wait there, and for nobody else.
 */
export interface RoamingCaller extends Caller {
  call(method: string, body: object, headers?: Readonly<Record<string, string>>): Promise<RoamingEnding>;
  /** All calls that have ended. */
  readonly past: readonly PastCall[];
}

/** Beyond this a client gives a call up; whether it has an effect is then unknown. */
const patienceMs = 30_000;
const pauseMs = 100;

/** Where clients call. */
export interface Address {
  readonly url: string;
  isStopped(): boolean;
}

/** Makes a client of JSON. An outcome that the service does not know counts as a call that was cut. */
export function createRoamingCaller(
  addresses: readonly Address[],
  token: string,
  random: Random,
): RoamingCaller {
  const agent = new Agent({ keepAlive: true });
  const past: PastCall[] = [];
  const send = (url: string, body: object, headers: Readonly<Record<string, string>>) =>
    new Promise<RoamingEnding | "nobody">((resolve) => {
      const sent = requestHttp(url, {
        agent,
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        signal: AbortSignal.timeout(patienceMs),
      });
      sent.on("error", ({ code }: NodeJS.ErrnoException) =>
        resolve(code === "ECONNREFUSED" ? "nobody" : { kind: "cut" }),
      );
      sent.on("response", (response) => receive(response, resolve));
      sent.end(JSON.stringify(body));
    });
  return {
    past,
    close: () => agent.destroy(),
    async call(method, body, headers = {}) {
      const startMs = performance.now();
      for (;;) {
        const address = random.pick(addresses.filter(({ isStopped }) => !isStopped()));
        const process = addresses.indexOf(address);
        const ending = await send(`${address.url}/gatehouse.v1.${method}`, body, headers);
        if (ending !== "nobody") {
          past.push({ method, process, startMs, endMs: performance.now(), kind: ending.kind });
          if (ending.kind === "refused" && isBusy(ending.code)) await delay(pauseMs);
          return ending;
        }
        await delay(pauseMs);
      }
    },
  };
}

function receive(response: IncomingMessage, resolve: (ending: RoamingEnding) => void): void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.on("error", () => resolve({ kind: "cut" }));
  response.on("end", () => resolve(toEnding(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
}

function toEnding(status: number, text: string): RoamingEnding {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "cut" }; // half of an answer
  }
  if (status === 200) return { kind: "answer", json };
  const info = json.details?.find((detail: Json) => detail["@type"]?.endsWith("google.rpc.ErrorInfo"));
  const { reason = "", metadata = {} } = info ?? {};
  if (reason === "OUTCOME_UNKNOWN") return { kind: "cut" };
  return { kind: "refused", code: Number(json.code), status, reason, metadata };
}

/** RESOURCE_EXHAUSTED, UNAVAILABLE. */
function isBusy(code: number): boolean {
  return code === 8 || code === 14;
}

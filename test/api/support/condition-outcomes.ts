import type { JsonObject } from "@bufbuild/protobuf";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Dump } from "../../process/support/tables.ts";
import type { Outcome } from "../../support/clients.ts";
import type { TestService } from "../../support/service.ts";
import { statusOf } from "./lanes.ts";

/** What may be read of a service from outside: how much it has written, and what it has sent. */
export interface Traces {
  /** How many rows the tables have that grow with each effect, and how many messages were sent. */
  count(): Promise<Readonly<Record<string, number>>>;
  /** How many messages were sent. */
  countMessages(): number;
  /** The sequence of the last event. */
  lastSequence(): Promise<bigint>;
  /** Every row of every table, but of those that are added to every ten seconds: what people do is counted in memory till then. */
  tables(): Promise<Dump>;
  /** Resolves when the message of a call that does not wait for it was sent: more than `before` were then. */
  sentMore(before: number): Promise<void>;
  /** Resolves when a message to the number was sent. */
  sent(phone: string): Promise<void>;
}

/** Looks at what a service that runs leaves. */
export function openTraces({ dataFolders, place }: TestService): Traces {
  const outboxes = dataFolders.flatMap((folder) => [join(folder, "sms.jsonl"), join(folder, "mail.jsonl")]);
  const read = () =>
    outboxes.map((outbox) => (existsSync(outbox) ? readFileSync(outbox, "utf8") : "")).join("");
  const countMessages = () => read().split("\n").length - 1;
  return {
    async count() {
      const [counts] = await place.raw.peek<Readonly<Record<string, number>>>(
        `SELECT (SELECT COUNT(*) FROM events) AS events, (SELECT COUNT(*) FROM secrets) AS secrets,
           (SELECT COUNT(*) FROM credentials) AS tokens, (SELECT COUNT(*) FROM idempotent_answers) AS answers`,
      );
      return { ...counts, messages: countMessages() };
    },
    countMessages,
    async lastSequence() {
      const [last] = await place.raw.peek<{ sequence: number | null }>(
        "SELECT MAX(sequence) AS sequence FROM events",
      );
      return BigInt(last?.sequence ?? 0);
    },
    async tables() {
      const dump = await place.raw.dump();
      return Object.fromEntries(
        Object.entries(dump).filter(([table]) => !/^activ(?:e_users|ity_hours)$/.test(table)),
      );
    },
    async sentMore(before) {
      while (countMessages() <= before) await setImmediate();
    },
    async sent(phone) {
      while (!read().includes(phone)) await setImmediate();
    },
  };
}

const typeUrl = "type.googleapis.com/google.rpc.";

/** How a call ended: `answered`, `replayed`, `validated`, or the code and the reason of an error. */
export function endingOf(outcome: Outcome): string {
  const replayed = outcome.headers.get("idempotency-replayed");
  const validated = outcome.headers.get("x-service-validated-only");
  const marks = [
    replayed === null ? "" : `replayed ${replayed}`,
    validated === null ? "" : `validated ${validated}`,
  ];
  const said = marks.filter((mark) => mark !== "").join(", ");
  if (outcome.kind === "answer") return said === "" ? "answered" : said;
  const { code, details } = outcome.status;
  const info = details.find((detail) => detail["@type"] === `${typeUrl}ErrorInfo`);
  const http = outcome.httpStatus === undefined ? "" : ` HTTP ${outcome.httpStatus}`;
  return `${code} ${info?.["reason"] as string}${http}${said === "" ? "" : `, ${said}`}`;
}

/** Returns an error in full, as every lane writes it, but for what is another one of each call. */
export function refusalIn(outcome: Outcome): unknown {
  const { details, ...status } = statusOf(outcome);
  return { ...status, details: details.filter((detail) => detail["@type"] !== `${typeUrl}RequestInfo`) };
}

/** Returns the metadata of an error. */
export function metadataOf(outcome: Outcome): Readonly<Record<string, string>> {
  const info = statusOf(outcome).details.find((detail) => detail["@type"] === `${typeUrl}ErrorInfo`);
  return (info?.["metadata"] ?? {}) as Readonly<Record<string, string>>; // as ErrorInfo has it
}

/** Returns the answer of a call that must have succeeded. */
export function answerIn(outcome: Outcome): JsonObject {
  if (outcome.kind === "error") throw new Error(`expected an answer, got ${JSON.stringify(outcome.status)}`);
  return outcome.json;
}

/** The lanes on which an error is HTTP's own, too: their clients say its status. */
export function inHttp(lane: string, code: string, status: number): string {
  return lane === "rest" || lane === "json" ? `${code} HTTP ${status}` : code;
}

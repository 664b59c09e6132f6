/** Makes a call and compares what came of it with what the model says. */
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import type { Lane, Outcome } from "../../support/clients.ts";
import { refusalOf } from "../../support/service.ts";
import { differences } from "./difference.ts";
import { detailsOf, toDate } from "./messages.ts";
import { authenticate, Refusal } from "./permissions.ts";
import type { Effect, Plan } from "./plan.ts";
import type { Clients, Stage } from "./stage.ts";
import { noteRemoved } from "./taken-along.ts";
import { labelsOf, type Token, type World } from "./world.ts";

/** The service says something else than the model. */
export class Mismatch extends Error {}

/** How a call is made. */
export interface Manner {
  readonly caller: Token;
  readonly lane: Lane;
  /** Objects on a page of a list; 0 for the default. */
  readonly pageSize: number;
  readonly countTotal: boolean;
}

export interface Driver {
  /** Returns the reason of the refusal, or OK; undefined when the call would change the service itself and was not made. */
  run(plan: Plan, manner: Manner): Promise<string | undefined>;
  /** Puts a line into the trace. */
  note(line: string): void;
  /** Returns what was called so far, a line each. */
  trace(): readonly string[];
}

/** Creates the driver of a service that holds what the world says. */
export function createDriver({ clients, world }: Stage): Driver {
  const trace: (string | { readonly plan: Plan; readonly manner: Manner; result: string })[] = [];
  return {
    note: (line) => void trace.push(line),
    trace: () => {
      const labels = labelsOf(world);
      return trace.map((entry) =>
        typeof entry === "string" ? entry : `${describe(labels, entry)} → ${entry.result}`,
      );
    },
    async run(plan, manner) {
      const expected = judge(world, plan, manner.caller);
      if (typeof expected !== "string" && touchesBase(world, expected)) return undefined;
      const entry = { plan, manner, result: "?" };
      trace.push(entry);
      const outcome = await call(clients, plan, manner, firstPage(expected, manner));
      const result =
        outcome.kind === "answer"
          ? "OK"
          : JSON.stringify(refusalOf(outcome).reason ?? null).replaceAll('"', "");
      entry.result = result;
      if (outcome.kind === "error" || typeof expected === "string") {
        const wanted = typeof expected === "string" ? expected : "OK";
        if (result !== wanted) throw new Mismatch(`the model says ${wanted}, the service ${tell(outcome)}`);
        return result;
      }
      await compare({ clients, world, plan, manner }, expected, outcome.json);
      return result;
    },
  };
}

/** Returns what the model says: an effect, or the reason of a refusal. */
function judge(world: World, plan: Plan, token: Token): Effect | string {
  try {
    return plan.judge(authenticate(world, token));
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

function touchesBase({ base }: World, effect: Effect): boolean {
  if (effect.kind === "created") return effect.owner !== undefined && base.has(effect.owner);
  if (effect.kind !== "changed" || effect.isSame === true) return false;
  const { entity } = effect;
  return base.has(entity.resourceOwner) || ("id" in entity && base.has(String(entity.id)));
}

interface Made {
  readonly clients: Clients;
  readonly world: World;
  readonly plan: Plan;
  readonly manner: Manner;
}

async function compare(made: Made, effect: Effect, answer: JsonObject): Promise<void> {
  const { world } = made;
  switch (effect.kind) {
    case "read":
      return requireEqual("the answer", answer, effect.answer);
    case "list":
      return await compareList(made, effect, answer);
    case "changed": {
      const { created, resourceOwner } = effect.entity;
      const isSame = effect.isSame === true;
      const sequence = isSame ? effect.entity.sequence : requireGrown(world, answer);
      const details = detailsOf({ created, resourceOwner, sequence });
      const removed = noteRemoved(world, made.plan.method, () => {
        if (!isSame) effect.note(sequence);
      });
      return requireEqual("the answer", answer, { details, ...removed });
    }
    case "created": {
      const date = requireGrown(world, answer);
      const { idField, rest = {}, random = [] } = effect;
      const id = idField === undefined ? "" : textOf(answer, idField);
      if (idField !== undefined && !/^[1-9]\d*$/.test(id)) throw new Mismatch(`the answer has no ${idField}`);
      const details = detailsOf({ created: date, sequence: date, resourceOwner: effect.owner ?? id });
      const unknown = Object.fromEntries(random.map((field) => [field, answer[field] ?? null]));
      const own = idField === undefined ? {} : { [idField]: id };
      requireEqual("the answer", answer, { details, ...own, ...rest, ...unknown });
      effect.note({ id, date, answer });
    }
  }
}

/** The sequence of a change is larger than any before. */
function requireGrown(world: World, answer: JsonObject): number {
  const details = answer["details"] as JsonObject | undefined;
  const sequence = Number(details?.["sequence"]);
  if (!(sequence > world.sequence))
    throw new Mismatch(`the sequence ${sequence} is not larger than ${world.sequence}, the last one`);
  world.sequence = sequence;
  return sequence;
}

/** Reads the other pages too; they hold the whole list in its order. */
async function compareList(
  made: Made,
  { field, items }: Extract<Effect, { kind: "list" }>,
  first: JsonObject,
): Promise<void> {
  const { world, manner } = made;
  const pageSize = manner.pageSize === 0 ? 50 : manner.pageSize;
  const pages = Math.max(1, Math.ceil(items.length / pageSize));
  const details = {
    ...(manner.countTotal ? { totalResult: String(items.length) } : {}),
    processedSequence: String(world.sequence),
    totalIsLowerBound: false,
    viewTimestamp: toDate(world.clock.nowMs() * 1000),
  };
  let answer = first;
  for (let page = 0; page < pages; page++) {
    const nextPageToken = page === pages - 1 ? "" : textOf(answer, "nextPageToken");
    const wanted = { details, [field]: items.slice(page * pageSize, (page + 1) * pageSize), nextPageToken };
    requireEqual(`page ${page + 1} of the list`, answer, wanted);
    if (nextPageToken === "") continue;
    const next = { ...firstPage("", manner), pageToken: nextPageToken };
    const outcome = await call(made.clients, made.plan, manner, next);
    if (outcome.kind === "error") throw new Mismatch(`page ${page + 2} of the list: ${tell(outcome)}`);
    answer = outcome.json;
  }
}

function firstPage(expected: Effect | string, manner: Manner): JsonObject {
  if (typeof expected !== "string" && expected.kind !== "list") return {};
  if (typeof expected === "string" && expected !== "") return {};
  return { pageSize: manner.pageSize, countTotal: manner.countTotal };
}

async function call(
  clients: Clients,
  { method, request, header }: Plan,
  { lane, caller }: Manner,
  page: JsonObject,
): Promise<Outcome> {
  const headers: Record<string, string> = header === undefined ? {} : { "x-service-orgid": header };
  const message = fromJson(method.input, { ...request, ...page });
  return await clients[lane].call(method, message, { token: caller.text, headers });
}

function requireEqual(what: string, found: JsonValue, wanted: JsonValue): void {
  const lines = differences(found, wanted);
  if (lines.length > 0) throw new Mismatch(`${what} is another:\n  ${lines.join("\n  ")}`);
}

/** Returns a text field of an answer; empty when it is absent. */
function textOf(answer: JsonObject, field: string): string {
  const value = answer[field];
  return typeof value === "string" ? value : "";
}

function describe(
  labels: ReadonlyMap<string, string>,
  { plan, manner }: { readonly plan: Plan; readonly manner: Manner },
): string {
  const { method, request, header } = plan;
  const { caller, lane } = manner;
  const asText = JSON.stringify(request, (name, value: JsonValue) => {
    if (value === "" || (name === "metadataXml" && typeof value === "string" && value.length === 0))
      return undefined;
    if (name === "metadataXml")
      return /entityID="([^"]*)"/.exec(Buffer.from(value as string, "base64").toString())?.[1];
    return typeof value === "string" ? (labels.get(value) ?? value) : value;
  });
  const who = `${labels.get(caller.userId) ?? "?"} (${caller.label})`;
  const where = header === undefined ? "" : ` @${labels.get(header) ?? header}`;
  return `${who} ${method.name}${where} ${asText.replaceAll('"', "")}${lane === "json" ? "" : ` by ${lane}`}`;
}

function tell(outcome: Outcome): string {
  return outcome.kind === "answer" ? `OK ${JSON.stringify(outcome.json)}` : JSON.stringify(outcome.status);
}

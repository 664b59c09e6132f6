import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { canaries } from "../../support/canaries.ts";
import { type CallOptions, type ErrorStatus, type Lane, toRequest } from "../../support/clients.ts";
import { idOf } from "../../support/world.ts";
import { normalize, statusOf } from "./lanes.ts";
import { type Cell, type Expectation, expectationOf } from "./tenancy-expectation.ts";
import { prepareFresh } from "./tenancy-fresh.ts";
import { headersOf, idsNamed, requestOf, targetOf } from "./tenancy-requests.ts";
import { type CallerFacts, placeNames, places } from "./tenancy-roles.ts";
import { type MatrixRpc, readsHeader } from "./tenancy-rpcs.ts";
import type { TenancyWorld } from "./tenancy-world.ts";

/** What came of a cell. */
export interface Result {
  readonly cell: Cell;
  /** In the form of the expectation; another error in full. */
  readonly seen: Expectation;
  /** The whole answer but for the request id, the date and the ids that the caller sent. */
  readonly bytes: string;
  /** The refusal alone, in one form for all lanes, without the ids that the caller sent; empty when there is none. */
  readonly body: string;
}

/** Returns every cell of an rpc for these callers; requests that would be the same stand there once. */
export function cellsOf(
  world: TenancyWorld,
  rpc: MatrixRpc,
  callers: readonly CallerFacts[],
): readonly Cell[] {
  const headers = readsHeader(rpc) ? [false, true] : [false];
  const pairs = [
    ...placeNames.map((place) => ({ parent: place, leaf: place })),
    ...(rpc.path.length < 2
      ? []
      : placeNames.filter((leaf) => leaf !== "own").map((leaf) => ({ parent: "own" as const, leaf }))),
  ];
  const cells = new Map<string, Cell>();
  for (const caller of callers) {
    for (const isNamed of headers) {
      for (const pair of pairs) {
        const cell = { caller, ...pair, isNamed };
        const organization = isNamed ? places[cell.parent].organization : "";
        const key = JSON.stringify([caller.name, organization, idsNamed(rpc, targetOf(world, cell))]);
        if (!cells.has(key)) cells.set(key, cell);
      }
    }
  }
  return [...cells.values()];
}

/** Returns what a report calls the cell. */
export function nameOf({ caller, parent, leaf, isNamed }: Cell): string {
  const object = parent === leaf ? parent : `${parent} with a part of ${leaf}`;
  return `${caller.name}: ${object}${isNamed ? ", organization named" : ""}`;
}

/** Makes the call of each cell over JSON: those to refuse first, then those to allow, each with a new object if it needs one. */
export async function runCells(
  world: TenancyWorld,
  rpc: MatrixRpc,
  cells: readonly Cell[],
): Promise<readonly Result[]> {
  const isAllowed = (cell: Cell) => expectationOf(rpc, cell) === "allowed";
  const before = await lastSequence(world);
  const refused = await inParallel(
    cells.filter((cell) => !isAllowed(cell)),
    (cell) => callRaw(world, rpc, cell),
  );
  if ((await lastSequence(world)) !== before) throw new Error(`a call of ${rpc.name} left an event behind`);
  // The policy, texts or key of an object are gone after each call.
  const atOnce = /^Reset(?:LoginPolicy|LabelPolicy|CustomTexts)$|^Remove\w+Metadata$/.test(rpc.name)
    ? 1
    : undefined;
  const allowed = await inParallel(cells.filter(isAllowed), (cell) => callRaw(world, rpc, cell), atOnce);
  return [...refused, ...allowed];
}

/** Makes the call of a cell over a lane; the cell must be refused. */
export async function callOnLane(
  world: TenancyWorld,
  rpc: MatrixRpc,
  asked: { readonly cell: Cell; readonly lane: Lane },
): Promise<Result> {
  const { cell, lane } = asked;
  const target = targetOf(world, cell);
  const request = toRequest(rpc.method, requestOf(rpc, target));
  const outcome = await world.service.clients[lane].call(rpc.method, request, optionsOf(world, rpc, cell));
  const status = statusOf(outcome);
  const bytes = [JSON.stringify(status), ...headerLines(outcome.headers)].join("\n");
  const ids = idsSent(world, rpc, cell);
  return {
    cell,
    seen: seenIn(world, status as unknown as JsonObject),
    bytes: withoutIds(bytes, ids),
    body: withoutIds(JSON.stringify(status), ids),
  };
}

async function callRaw(world: TenancyWorld, rpc: MatrixRpc, cell: Cell): Promise<Result> {
  const { method } = rpc;
  const target = targetOf(world, cell);
  const isAllowed = expectationOf(rpc, cell) === "allowed";
  const giver = giverOf(world, cell);
  const fresh = isAllowed
    ? await prepareFresh({ world, rpc, target, caller: cell.caller, giver })
    : { fields: {} };
  const json = requestOf(rpc, { ...target, fields: fresh.fields });
  const { token, headers } = optionsOf(world, rpc, cell);
  const {
    status,
    headers: received,
    text,
  } = await world.service.http.send({
    method: "POST",
    path: `/${method.parent.typeName}/${method.name}`,
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${fresh.token ?? token ?? ""}`,
      ...headers,
    },
    // By way of the message, so that the request is one of its type.
    body: JSON.stringify(toJson(method.input, fromJson(method.input, json))),
  });
  const body = JSON.parse(text) as JsonObject; // both bodies are objects
  if (status !== 200) canaries.noteReceived(text);
  const ids = idsSent(world, rpc, cell);
  return {
    cell,
    seen: status === 200 ? "allowed" : seenIn(world, body),
    bytes: withoutIds([status, ...headerLines(received), text].join("\n"), ids),
    body: status === 200 ? "" : withoutIds(JSON.stringify(normalize(body as unknown as ErrorStatus)), ids),
  };
}

/** Returns the organization that gives user grants in the cell. */
export function giverOf({ organizations }: TenancyWorld, { caller, parent, isNamed }: Cell): string {
  return organizations[isNamed ? places[parent].organization : caller.home];
}

function optionsOf(world: TenancyWorld, rpc: MatrixRpc, { caller, parent, isNamed }: Cell): CallOptions {
  const token = world.users.get(caller.name)?.token;
  // An rpc that does not read the header must not care what is in it.
  const named = isNamed ? places[parent].organization : readsHeader(rpc) ? undefined : "theirs";
  return { token, headers: headersOf(world, named) };
}

/** Returns the ids that the caller of the cell sends. */
export function idsSent(world: TenancyWorld, rpc: MatrixRpc, cell: Cell): readonly string[] {
  const named = cell.isNamed ? [world.organizations[places[cell.parent].organization]] : [];
  return [...idsNamed(rpc, targetOf(world, cell)), ...named];
}

function headerLines(headers: Headers): readonly string[] {
  return [...headers]
    .filter(([name]) => name !== "x-request-id" && name !== "date")
    .map(([name, value]) =>
      name.endsWith("-bin")
        ? `${name}: ${Buffer.from(value, "base64").toString("latin1")}`
        : `${name}: ${value}`,
    );
}

/** Each id becomes its place in the request, so that two that are mixed up do not look the same. */
export function withoutIds(text: string, ids: readonly string[]): string {
  return ids.reduce((rest, id, index) => rest.replaceAll(id, `<${index}>`), text);
}

interface Detail {
  readonly "@type": string;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly resourceType?: string;
}

/** Returns google.rpc.Status in the form of the expectation. */
export function seenIn({ organizations }: TenancyWorld, status: JsonObject): Expectation {
  const details = (status["details"] ?? []) as unknown as readonly Detail[]; // google.rpc.Status
  const find = (type: string) =>
    details.find((detail) => detail["@type"] === `type.googleapis.com/google.rpc.${type}`);
  const info = find("ErrorInfo");
  const { permission = "", organization_id: id = "" } = info?.metadata ?? {};
  const [name = id] = Object.entries(organizations).find(([, known]) => known === id) ?? [];
  const codes: Readonly<Record<string, JsonValue | undefined>> = { PERMISSION_DENIED: 7, NOT_FOUND: 5 };
  const reason = info?.reason ?? "";
  if (codes[reason] !== status["code"]) return JSON.stringify(status);
  if (reason === "PERMISSION_DENIED") return `${reason} ${permission} ${name}`;
  return `${reason} ${find("ResourceInfo")?.resourceType ?? ""}`;
}

/** Reads the sequence of the last event. */
export async function lastSequence({ service }: TenancyWorld): Promise<string> {
  const { details } = await service.call(OrganizationService.method.listOrganizations, { pageSize: 1 });
  return idOf(details as JsonObject, "processedSequence");
}

/** Runs a few at a time, and returns what came of them in their order. */
export async function inParallel<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
  atOnce = 8,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

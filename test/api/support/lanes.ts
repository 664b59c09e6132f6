import {
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import { createRegistry } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import {
  type CallOptions,
  callByConnect,
  type ErrorStatus,
  type Lane,
  lanes as contractLanes,
  type Outcome,
  watched,
} from "../../support/clients.ts";
import { startService, type TestService } from "../../support/service.ts";
import { sized } from "../../support/size.ts";
import { createWorld, type World } from "../../support/world.ts";

/** The lanes of the contract, and Connect's own shape of unary calls, for clients that speak that. */
export const everyLane = [...contractLanes, "connect-json", "connect-proto"] as const;
export type EveryLane = (typeof everyLane)[number];

/** Returns the lane at the place, round and round, so that rpcs that take turns are called on all of them. */
export function laneAt(index: number): EveryLane {
  return everyLane.at(index % everyLane.length) ?? "json";
}

/** Returns the lanes on which a test with a size makes its calls: in full all of them, else one, of which the tests take turns. */
export function lanesAt(index: number): readonly EveryLane[] {
  return sized<readonly EveryLane[]>({ small: [laneAt(index)], full: everyLane });
}

/** Returns the lanes for a row of a table of like mistakes: the first row is made on every lane, the others take turns. */
export function lanesOfRow(index: number): readonly EveryLane[] {
  return index === 0 ? everyLane : [laneAt(index)];
}

/** Makes one call as a client of the lane. */
export type Call = <M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  options?: CallOptions,
) => Promise<Outcome>;

/** Returns a client for each lane. Closing the service closes them. */
export function openLanes(service: Pick<TestService, "url" | "clients">): Readonly<Record<EveryLane, Call>> {
  const connect = (transport: Transport): Call => {
    return watched((method, request, options) => callByConnect(transport, method, request, options));
  };
  const ofContract = Object.fromEntries(
    contractLanes.map((lane): [Lane, Call] => [lane, service.clients[lane].call]),
  ) as Record<Lane, Call>; // one for each lane
  return {
    ...ofContract,
    "connect-json": connect(createConnectTransport({ baseUrl: service.url, useBinaryFormat: false })),
    "connect-proto": connect(createConnectTransport({ baseUrl: service.url, useBinaryFormat: true })),
  };
}

/** What a test of the interface begins with: a service, its clients, and two organizations that know nothing of each other. */
export interface Setting {
  readonly service: TestService;
  readonly callOn: Readonly<Record<EveryLane, Call>>;
  readonly world: World;
  readonly other: World;
}

export async function startSetting(flags: Readonly<Record<string, unknown>> = {}): Promise<Setting> {
  const service = await startService(flags);
  const world = await createWorld(service);
  return { service, callOn: openLanes(service), world, other: await createWorld(service) };
}

/** Makes the same call on every lane, one after the other, and returns what came of each. */
export async function onEveryLane<T>(
  run: (lane: EveryLane) => Promise<T>,
  chosen: readonly EveryLane[] = everyLane,
): Promise<Readonly<Record<string, T>>> {
  const seen: Record<string, T> = {};
  for (const lane of chosen) seen[lane] = await run(lane);
  return seen;
}

/** Returns the same value under each lane: what `onEveryLane` must have seen when the lanes are alike. */
export function alike<T>(value: T, chosen: readonly EveryLane[] = everyLane): Readonly<Record<string, T>> {
  return Object.fromEntries(chosen.map((lane) => [lane, value]));
}

const registry = createRegistry(file_google_rpc_error_details);

/**
 * Returns google.rpc.Status with every detail decoded by its descriptor and written with its defaults left out, so that
 * what a lane leaves implicit does not count as a difference. Throws when it is no google.rpc.Status.
 */
export function normalize(status: ErrorStatus): ErrorStatus {
  const message = fromJson(StatusSchema, status as unknown as JsonObject, { registry });
  return toJson(StatusSchema, message, { registry }) as unknown as ErrorStatus;
}

/** Returns the error of an outcome in full. Throws for an answer. */
export function statusOf(outcome: Outcome): ErrorStatus {
  if (outcome.kind === "answer") throw new Error(`expected an error, got ${JSON.stringify(outcome.json)}`);
  return normalize(outcome.status);
}

const typeUrl = "type.googleapis.com/google.rpc.";

/** Returns google.rpc.ErrorInfo as every error of the service carries it. */
export function errorInfo(reason: string, metadata?: Readonly<Record<string, string>>): JsonObject {
  return {
    "@type": `${typeUrl}ErrorInfo`,
    reason,
    domain: "gatehouse",
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Returns google.rpc.BadRequest of field and description in turn. */
export function badRequest(
  ...violations: readonly (readonly [field: string, description: string])[]
): JsonObject {
  return {
    "@type": `${typeUrl}BadRequest`,
    fieldViolations: violations.map(([field, description]) => ({ field, description })),
  };
}

/** Returns google.rpc.ResourceInfo. */
export function resourceInfo(resourceType: string, resourceName: string, description: string): JsonObject {
  return { "@type": `${typeUrl}ResourceInfo`, resourceType, resourceName, description };
}

/** Returns google.rpc.RetryInfo. */
export function retryInfo(retryDelay: string): JsonObject {
  return { "@type": `${typeUrl}RetryInfo`, retryDelay };
}

/** Returns what google.rpc.BadRequest in the details says; nothing when there is none. */
export function violationsOf(
  details: readonly JsonObject[],
): readonly { readonly field: string; readonly description: string }[] {
  const bad = details.find((detail) => detail["@type"] === `${typeUrl}BadRequest`);
  const violations: unknown = bad?.["fieldViolations"] ?? [];
  return violations as readonly { readonly field: string; readonly description: string }[]; // as BadRequest has them
}

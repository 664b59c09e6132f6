import { fromJson, getOption, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import { Effect, effect } from "../../../gen/gatehouse/v1/effect_pb.ts";
import { sensitive } from "../../../gen/gatehouse/v1/sensitive_pb.ts";
import { type CallOptions, type Outcome, toRequest } from "../../support/clients.ts";
import type { EveryLane, openLanes } from "./lanes.ts";
import { prepareFresh } from "./tenancy-fresh.ts";
import { requestOf, targetOf } from "./tenancy-requests.ts";
import { callers, type PlaceName, places } from "./tenancy-roles.ts";
import { listMatrixRpcs, type MatrixRpc, readsHeader } from "./tenancy-rpcs.ts";
import type { TenancyWorld } from "./tenancy-world.ts";

/** Returns the rpcs of the matrix that have one of the effects, each with its name. Found by the descriptors. */
export async function listRpcsOf(
  ...effects: readonly Effect[]
): Promise<readonly (readonly [string, MatrixRpc])[]> {
  const rpcs = await listMatrixRpcs();
  return rpcs
    .filter(({ method }) => effects.includes(getOption(method, effect)))
    .map((rpc) => [rpc.name, rpc]);
}

/** Every effect but that of reading. */
export const changing = [Effect.ADD, Effect.CHANGE, Effect.CHANGE_SEVERAL] as const;

/** A call that has not been made yet, and can be made once. */
export interface Ready {
  readonly method: MatrixRpc["method"];
  readonly request: JsonObject;
  readonly options: CallOptions;
}

const [anyCaller] = callers;

/** Returns a call of the administrator that succeeds, about objects of its own where it uses them up. */
export async function prepare(world: TenancyWorld, rpc: MatrixRpc, place: PlaceName = "own"): Promise<Ready> {
  if (anyCaller === undefined) throw new Error("somebody must call");
  const target = targetOf(world, { caller: anyCaller, parent: place, leaf: place, isNamed: true });
  const giver = world.organizations[places[place].giver];
  // What is not there needs nothing more to be so.
  const { fields } = places[place].isThere
    ? await prepareFresh({ world, rpc, target, caller: anyCaller, giver })
    : { fields: {} };
  return {
    method: rpc.method,
    request: requestOf(rpc, { ...target, fields }),
    options: { token: world.service.adminToken, headers: { "x-service-orgid": giver } },
  };
}

/** Calls whose answer does not wait for the message that they send. */
export const sendsLater: ReadonlySet<string> = new Set(["ResendInvitation"]);

/** What another request says of rpcs that name no object. */
const otherFields: Readonly<Record<string, JsonObject>> = {
  RotateSigningKeys: { revoke_old: true },
  UpdateDefaultLoginPolicy: { force_mfa: true },
  UpdateDefaultLabelPolicy: { corner_radius: 3 },
  SetDefaultLabelPolicyImage: { kind: "LABEL_IMAGE_KIND_ICON_DARK" },
  SetDefaultCustomTexts: { language: "fr" },
  UpdateExternalClientSettings: { host_patterns: ["*.example.com"] },
};
const header = "x-service-orgid";

/** Rpcs of the instance without a field: there is only one request. */
export const ofOneRequest: ReadonlySet<string> = new Set(["ActivateDefaultLabelPolicy"]);

/** Returns a call of the same rpc with another request, if there is another. */
export async function prepareOther(world: TenancyWorld, rpc: MatrixRpc, ready: Ready): Promise<Ready> {
  for (const place of ["sibling", "other"] as const) {
    const other = await prepare(world, rpc, place);
    const isOnOther = readsHeader(rpc) && other.options.headers?.[header] !== ready.options.headers?.[header];
    if (isOnOther || !bytesOf(other).equals(bytesOf(ready))) return other;
  }
  if (ofOneRequest.has(rpc.name)) return ready;
  const fields = otherFields[rpc.name];
  if (fields === undefined) throw new Error(`there is only one request of ${rpc.name}`);
  return { ...ready, request: { ...ready.request, ...fields } };
}

function bytesOf({ method, request }: Ready): Buffer {
  return Buffer.from(toBinary(method.input, fromJson(method.input, request)));
}

/** Returns the same call with more headers, or with another token. */
export function having(ready: Ready, headers: Readonly<Record<string, string>>, token?: string): Ready {
  const { options } = ready;
  return {
    ...ready,
    options: { token: token ?? options.token, headers: { ...options.headers, ...headers } },
  };
}

/** Makes the call. */
export async function makeOn(
  callOn: ReturnType<typeof openLanes>,
  lane: EveryLane,
  { method, request, options }: Ready,
): Promise<Outcome> {
  return await callOn[lane](method, toRequest(method, request), options);
}

/** Returns the answer as every lane writes it, without what is shown once. */
export function withoutSecrets({ method }: Ready, answer: JsonObject): JsonObject {
  const json = toJson(method.output, fromJson(method.output, answer), {
    alwaysEmitImplicit: true,
  }) as JsonObject; // of an object
  const secret = secretsOf(method.output.fields);
  return Object.fromEntries(Object.entries(json).filter(([name]) => !secret.includes(name)));
}

/** Returns what of an answer is shown once and is there; nothing of one that is repeated. */
export function secretsIn({ method }: Ready, answer: JsonObject): readonly string[] {
  return secretsOf(method.output.fields).filter((name) => {
    const { [name]: value = "" } = answer;
    return Array.isArray(value) ? value.length > 0 : value !== "";
  });
}

function secretsOf(fields: MatrixRpc["method"]["output"]["fields"]): readonly string[] {
  return fields.filter((field) => getOption(field, sensitive)).map(({ jsonName }) => jsonName);
}

/** Returns the sequence in the details of an answer; of a batch, that of its last result. */
export function sequenceOf(answer: JsonObject): bigint {
  const results = answer["results"] as readonly Readonly<Record<string, JsonObject>>[] | undefined; // as a batch has them
  if (results !== undefined) return sequenceOf(Object.values(results.at(-1) ?? {})[0] ?? {});
  const { sequence } = answer["details"] as { readonly sequence: string }; // every other change answers them
  return BigInt(sequence);
}

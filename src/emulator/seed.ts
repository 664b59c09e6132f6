import { isMessage } from "@bufbuild/protobuf";
import type { WriteResult } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { AddHumanUserResponseSchema, UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { configurationKinds } from "../applying/kinds/configuration-kinds.ts";
import { metadataOf } from "../applying/kinds/metadata.ts";
import type { ObjectKind } from "../applying/kinds/object-kind.ts";
import type { SecretSource } from "../applying/file/secrets.ts";
import { createMistakes, toMistake } from "../applying/file/mistakes.ts";
import { readConfiguration } from "../applying/file/read-file.ts";
import { createNameTable } from "../applying/naming/references.ts";
import { makePlan } from "../applying/plan/make-plan.ts";
import { newSecretsIn } from "../applying/plan/new-secrets.ts";
import { answerIn, type PlacedItem, placeItems, sendItems } from "../applying/plan/send.ts";
import { ConfigurationError } from "../applying/reading/configuration-error.ts";
import { createServiceReader } from "../applying/reading/reader.ts";
import { type Gatehouse, GatehouseError } from "../client/client.ts";

/** A client that the seed has made, and its secret. */
export interface SeededClient {
  readonly clientId: string;
  readonly secret: string;
}

/** People of an organization, with their passwords: a configuration has none. */
const users: ObjectKind = {
  key: "users",
  noun: "user",
  form: "list",
  names: ["username"],
  isFolded: true,
  own: "user_id",
  add: "addHumanUser",
  updates: [],
  switches: { deactivate: "deactivateUser", reactivate: "reactivateUser" },
  leftOut: ["invite", "password_change_required", "password_hash", "return_code", "send_code"],
  order: 20,
  target: "user",
  children: [metadataOf("User", { user_id: "users" })],
  read: async () => [], // nobody is there yet
};

const withUsers = (kind: ObjectKind): ObjectKind => ({ ...kind, children: [users, ...kind.children] });
const kinds = configurationKinds.map((kind) => (kind.key === "organizations" ? withUsers(kind) : kind));

/** The secrets of a seed are those of tests, so they may stand in it. */
const secrets: SecretSource = { read: (text) => ({ secret: text }) };

/**
 * Makes what a file of the form of `gatehouse apply` has, and its users, in a service that has nothing yet. Returns the clients whose
 * secrets the service has made. Throws ConfigurationError for what is wrong with the file, with line and column.
 */
export async function makeSeed(
  gatehouse: Gatehouse,
  { file, content }: { readonly file: string; readonly content: string },
): Promise<readonly SeededClient[]> {
  const wanted = readConfiguration(content, { file, kinds, secrets });
  const reader = createServiceReader(gatehouse);
  const planning = {
    reader,
    references: createNameTable(reader),
    mistakes: createMistakes(file),
    isPruning: false,
  };
  const placed = placeItems((await makePlan(planning, wanted)).changes);
  if (placed.length === 0) return [];
  const results = await sendItems(gatehouse, placed.map(withoutPassword), { file, isDry: false });
  for (const [index, each] of placed.entries()) {
    const result = results[index];
    if (result !== undefined) await setPassword(gatehouse, file, { ...each, result });
  }
  return newSecretsIn(placed, results).flatMap(
    ({ fields: { client_id: clientId, client_secret: secret } }) =>
      typeof clientId === "string" && typeof secret === "string" ? [{ clientId, secret }] : [],
  );
}

/** No batch sets passwords, because a hash takes its time. */
function withoutPassword({ change, item }: PlacedItem): PlacedItem {
  const { password, ...request } = item.request;
  return password === undefined || change.kind !== users
    ? { change, item }
    : { change, item: { ...item, request } };
}

async function setPassword(
  gatehouse: Gatehouse,
  file: string,
  { change, item, result }: PlacedItem & { readonly result: WriteResult },
): Promise<void> {
  const { password } = item.request;
  if (change.kind !== users || typeof password !== "string") return;
  const { message } = answerIn(result, item);
  if (!isMessage(message, AddHumanUserResponseSchema)) return;
  try {
    await gatehouse.client(UserService).setPassword({ userId: message.userId, password });
  } catch (error) {
    const { rawMessage: why } = GatehouseError.from(error);
    throw new ConfigurationError(toMistake(file, change.spot, `${change.label}: ${why}`));
  }
}

import { type DescMessage, fromJson, type JsonObject, type Message } from "@bufbuild/protobuf";
import {
  BatchService,
  type WriteResult,
  type WriteRequest,
  WriteItemSchema,
  WriteRequestSchema,
  WriteResultSchema,
} from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import type { ObjectDetails } from "../../../gen/gatehouse/v1/object_pb.ts";
import { type Gatehouse, GatehouseError } from "../../client/client.ts";
import { toMistake } from "../file/mistakes.ts";
import { fieldsOf } from "../kinds/fields.ts";
import { ConfigurationError } from "../reading/configuration-error.ts";
import type { PlannedChange, PlannedItem } from "./planned-change.ts";

/** A call and the change that it belongs to. */
export interface PlacedItem {
  readonly change: PlannedChange;
  readonly item: PlannedItem;
}

/** So many calls can be one transaction. */
const maxItems = 1000;

/**
 * Lists the calls of a plan in the order in which they are made: removals that free names, then what is added and changed, earlier kinds
 * first, then removals, later kinds first.
 */
export function placeItems(changes: readonly PlannedChange[]): readonly PlacedItem[] {
  const rank = ({ action, kind }: PlannedChange): number => {
    if (action !== "remove") return kind.order;
    return kind.isRemovedFirst === true ? -kind.order : 10_000 - kind.order;
  };
  return changes
    .toSorted((one, other) => rank(one) - rank(other))
    .flatMap((change) => change.items.map((item) => ({ change, item })));
}

/** Makes the calls, all or none. `isDry`: as if. Throws ConfigurationError with the place in the file that a refusal is about. */
export async function sendItems(
  gatehouse: Gatehouse,
  placed: readonly PlacedItem[],
  { file, isDry }: { readonly file: string; readonly isDry: boolean },
): Promise<readonly WriteResult[]> {
  if (placed.length > maxItems)
    throw new ConfigurationError(
      `${placed.length} calls would be needed, and one transaction takes ${maxItems}; apply a file with less in it first`,
    );
  const headers = isDry ? { "x-service-validate-only": "true" } : undefined;
  try {
    const { results } = await gatehouse
      .client(BatchService)
      .write(toRequest(placed), headers === undefined ? {} : { headers });
    return results;
  } catch (error) {
    throw toConfigurationError(GatehouseError.from(error), placed, { file, isDry });
  }
}

function toRequest(placed: readonly PlacedItem[]): WriteRequest {
  const matched = new Set<string>();
  const items = placed.map(({ change, item: { item, request, bulkId } }): JsonObject => {
    // The first call about an object insists on what was read; those after it follow within the transaction.
    const isMatched = change.sequence !== undefined && !matched.has(change.subject);
    matched.add(change.subject);
    return {
      ...(bulkId === undefined || bulkId === "" ? {} : { bulkId }),
      ...(change.organizationId === "" ? {} : { organizationId: change.organizationId }),
      ...(isMatched ? { ifMatch: `"${change.sequence}"` } : {}),
      [item]: request,
    };
  });
  return fromJson(WriteRequestSchema, { items });
}

function toConfigurationError(
  failure: GatehouseError,
  placed: readonly PlacedItem[],
  { file, isDry }: { readonly file: string; readonly isDry: boolean },
): GatehouseError | ConfigurationError {
  const index = Number(failure.info["item"]);
  const found = Number.isInteger(index) ? placed[index] : undefined;
  if (found === undefined) return failure;
  const { change } = found;
  const text = textOf(failure, change, isDry);
  return new ConfigurationError(toMistake(file, change.spot, `${change.label}: ${text}`), { cause: failure });
}

function textOf(failure: GatehouseError, { kind, action }: PlannedChange, isDry: boolean): string {
  if (failure.reason === "SEQUENCE_MISMATCH")
    return "somebody else has changed it since it was read, so nothing was changed (SEQUENCE_MISMATCH); plan again";
  if (failure.reason === "ALREADY_EXISTS" && action === "add" && !isDry)
    return "somebody else has added it since the file was compared, so nothing was changed (ALREADY_EXISTS); plan again";
  const names = new Map(fieldsOf(kind).map(({ field, name }) => [field.name, name]));
  const violations = failure.violations.map(({ field, description }) => {
    const [root = "", ...rest] = field.replace(/^items\[\d+\]\.\w+\.?/, "").split(".");
    return `${[names.get(root) ?? root, ...rest].join(".")} ${description}`;
  });
  const text =
    violations.length > 0 ? violations.join("; ") : failure.rawMessage.replace(/^items\[\d+\]\.\w+: /, "");
  return `${text} (${failure.reason})`;
}

/** The answer of a call. */
export interface ItemAnswer {
  readonly desc: DescMessage;
  readonly message: Message & { readonly details?: ObjectDetails };
}

/** Returns the answer that a result holds. */
export function answerIn({ result }: WriteResult, { item }: PlannedItem): ItemAnswer {
  const request = WriteItemSchema.fields.find(({ localName }) => localName === item);
  if (request === undefined || result.case !== item)
    throw new Error(`the service answered ${item} with another answer`);
  return { desc: resultOf(request.number), message: result.value };
}

function resultOf(number: number): DescMessage {
  const field = WriteResultSchema.fields.find((each) => each.number === number);
  if (field?.message === undefined) throw new Error(`results have no field ${number}`);
  return field.message;
}

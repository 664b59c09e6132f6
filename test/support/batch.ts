import {
  type DescField,
  type DescMethodUnary,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BatchService, WriteItemSchema } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { type CallOptions, type ErrorStatus, type LaneClient, type Outcome, toRequest } from "./clients.ts";

/** Returns the field of an item that holds the request of the method; undefined when it cannot be an item. */
export function itemFieldOf(method: DescMethodUnary): DescField | undefined {
  return WriteItemSchema.fields.find(({ message }) => message === method.input);
}

/** Returns the JSON of an item that makes the call. */
export function itemOf<M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  rest: JsonObject = {},
): JsonObject {
  const field = itemFieldOf(method);
  if (field === undefined) throw new Error(`${method.name} cannot be an item of a batch`);
  return { ...rest, [field.jsonName]: toJson(method.input, create(method.input, request)) };
}

/** Makes a batch of items in JSON. */
export function writeItems(
  client: Pick<LaneClient, "call">,
  request: { readonly items: readonly JsonObject[]; readonly allowPartialSuccess?: boolean },
  options: CallOptions = {},
): Promise<Outcome> {
  const json = { ...request, items: [...request.items] } satisfies JsonValue;
  return client.call(BatchService.method.write, toRequest(BatchService.method.write, json), options);
}

/** Returns the results of a batch that was answered. */
export function resultsOf(outcome: Outcome): readonly JsonObject[] {
  if (outcome.kind === "error") throw new Error(`expected results, got ${JSON.stringify(outcome.status)}`);
  return outcome.json["results"] as readonly JsonObject[]; // of WriteResponse
}

/** Returns how one item ended, as if it had been a call. */
export function outcomeOf(method: DescMethodUnary, result: JsonObject | undefined): Outcome {
  const headers = new Headers();
  const error = result?.["error"];
  if (error !== undefined) return { kind: "error", status: error as unknown as ErrorStatus, headers }; // google.rpc.Status
  const json = result?.[itemFieldOf(method)?.jsonName ?? ""];
  if (json === undefined) throw new Error(`${method.name} was answered ${JSON.stringify(result)}`);
  return { kind: "answer", json: json as JsonObject, headers };
}

/** Returns a client that makes each call as the one item of a batch that may fail. */
export function inBatches(client: LaneClient): Pick<LaneClient, "call"> {
  return {
    async call(method, request, options) {
      const batch = { items: [itemOf(method, request)], allowPartialSuccess: true };
      const outcome = await writeItems(client, batch, options);
      return outcome.kind === "error" ? outcome : outcomeOf(method, resultsOf(outcome)[0]);
    },
  };
}

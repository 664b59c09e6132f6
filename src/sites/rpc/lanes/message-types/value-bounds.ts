import type { DescMessage } from "@bufbuild/protobuf";
import { WriteRequestSchema } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";

/** How many values a request may hold, whatever they mean: each costs up to a hundred times its bytes. */
export interface ValueBounds {
  /** Values of JSON. */
  readonly json: number;
  /** Fields of binary protobuf and entries of packed lists, at every depth. */
  readonly binary: number;
}

/** The largest messages are lists of 1,000 roles with three fields. A longer list must still be told its rule. */
const plain: ValueBounds = { json: 20_000, binary: 20_000 };

/** A batch holds up to 1,000 requests. */
const manyRequests: ValueBounds = { json: 200_000, binary: 200_000 };

/** Finds the bounds of a request type. */
export function maxValuesOf(desc: DescMessage): ValueBounds {
  return desc.typeName === WriteRequestSchema.typeName ? manyRequests : plain;
}

const maxFreeValues = 1000;
const maxFreeLevels = 16;

/**
 * Further bounds of free-form JSON in a request (google.protobuf.Struct, Value and ListValue). A WebAuthn credential has some 20
 * values on 4 levels. Each value costs as much as a message: as many as fit into its length would take half a second.
 */
export const freeFormBounds = {
  /** Members of objects and entries of lists, at every depth. */
  maxValues: maxFreeValues,
  /** Objects and lists inside of each other, including the outermost. */
  maxLevels: maxFreeLevels,
  complaint: `must have at most ${maxFreeValues} values on at most ${maxFreeLevels} levels`,
} as const;

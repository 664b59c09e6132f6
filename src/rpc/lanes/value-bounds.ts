import type { DescMessage } from "@bufbuild/protobuf";
import { WriteRequestSchema } from "../../../gen/gatehouse/v1/batch_service_pb.ts";

/** Maximum number of values in a request, whatever their meaning: each costs up to a hundred times its bytes. */
export interface ValueBounds {
  /** Values of JSON. */
  readonly json: number;
  /** Fields of binary protobuf and entries of packed lists, at every depth. */
  readonly binary: number;
}

/**
 * The largest messages are lists of 1,000 roles with three fields each. The limit is higher, so that a list that is
 * slightly too long gets the broken rule as an answer.
 */
const plain: ValueBounds = { json: 20_000, binary: 20_000 };

/** A batch holds up to 1,000 requests. */
const manyRequests: ValueBounds = { json: 200_000, binary: 200_000 };

/** Returns the limits of a request type. */
export function maxValuesOf(desc: DescMessage): ValueBounds {
  return desc.typeName === WriteRequestSchema.typeName ? manyRequests : plain;
}

const maxFreeValues = 1000;
const maxFreeLevels = 16;

/**
 * Further limits for free-form JSON in a request (google.protobuf.Struct, Value and ListValue). A WebAuthn credential
 * has about 20 values on 4 levels, and each value costs as much as a message: half a second for as many as fit into
 * its maximum length.
 */
export const freeFormBounds = {
  /** Members of objects and entries of lists, at every depth. */
  maxValues: maxFreeValues,
  /** Nested objects and lists, including the outermost. */
  maxLevels: maxFreeLevels,
  complaint: `must have at most ${maxFreeValues} values on at most ${maxFreeLevels} levels`,
} as const;

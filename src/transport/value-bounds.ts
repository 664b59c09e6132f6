import type { DescMessage } from "@bufbuild/protobuf";
import { WriteRequestSchema } from "../../gen/gatehouse/v1/batch_service_pb.ts";

/** The most values that a request may hold, whatever their meaning: each costs up to a hundred times its bytes. */
export interface ValueBounds {
  /** Values of JSON. */
  readonly json: number;
  /** Fields of binary protobuf, at every depth. */
  readonly binary: number;
}

/** The largest messages are lists of 1,000 roles with three fields each; lists somewhat too long get to hear which rule they break. */
const plain: ValueBounds = { json: 20_000, binary: 20_000 };

/**
 * google.protobuf.Struct holds the credential of VerifyU2f: 1,048,576 characters of `0,0,…` at the most, which are 524,288
 * numbers of two fields each.
 */
const freeForm: ValueBounds = { json: 600_000, binary: 1_200_000 };

/** A batch holds up to 1,000 requests. */
const manyRequests: ValueBounds = { json: 200_000, binary: 200_000 };

const known = new WeakMap<DescMessage, ValueBounds>();

/** Returns the bounds of a request type: those with free-form JSON somewhere in them may hold more. */
export function maxValuesOf(desc: DescMessage): ValueBounds {
  const bounds = known.get(desc) ?? findBounds(desc);
  known.set(desc, bounds);
  return bounds;
}

function findBounds(desc: DescMessage): ValueBounds {
  if (desc.typeName === WriteRequestSchema.typeName) return manyRequests;
  return reachesStruct(desc, new Set()) ? freeForm : plain;
}

function reachesStruct(desc: DescMessage, seen: Set<DescMessage>): boolean {
  if (desc.file.name === "google/protobuf/struct") return true;
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some(({ message }) => message !== undefined && reachesStruct(message, seen));
}

import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { FieldViolation } from "../kernel/base/problem.ts";
import { checkTimestamp } from "./messages.ts";
import type { AsOf } from "./as-of/as-of.ts";

interface AsOfMessage {
  readonly asOf:
    | { readonly case: "asOfDate"; readonly value: Timestamp }
    | { readonly case: "asOfSequence"; readonly value: bigint }
    | { readonly case: undefined; readonly value?: undefined };
}

/** Finds an `as_of_date` that is no instant, and a moment for a list that is not of one user. */
export function checkAsOf({
  asOf,
  userId,
}: AsOfMessage & { readonly userId: string }): readonly FieldViolation[] {
  const found = asOf.case === "asOfDate" ? checkTimestamp("as_of_date", asOf.value) : [];
  if (asOf.case === undefined || userId !== "") return found;
  return [...found, { field: "user_id", description: "must name a user whose past is asked about" }];
}

/** Reads the moment that a call asks about; undefined: the present. */
export function readAsOf({ asOf }: AsOfMessage): AsOf | undefined {
  switch (asOf.case) {
    case "asOfDate": {
      const { seconds, nanos } = asOf.value;
      return { micros: Number(seconds) * 1_000_000 + Math.floor(nanos / 1000), field: "as_of_date" };
    }
    case "asOfSequence":
      return { micros: Number(asOf.value), field: "as_of_sequence" };
    case undefined:
      return undefined;
  }
}

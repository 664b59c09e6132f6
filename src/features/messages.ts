import type { DescEnum, EnumShape, MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Details } from "../base/details.ts";
import type { FieldViolation } from "../base/problem.ts";
import type { Page, PageRequest } from "../base/paging.ts";
import type { ListDetailsSchema, ObjectDetailsSchema } from "../../gen/gatehouse/v1/object_pb.ts";

/** Returns the details as they stand in every answer. */
export function toObjectDetails(details: Details): MessageInitShape<typeof ObjectDetailsSchema> {
  return {
    sequence: BigInt(details.sequence),
    creationDate: toTimestamp(details.creationDate),
    changeDate: toTimestamp(details.sequence),
    resourceOwner: details.resourceOwner,
  };
}

/** Returns the details without creation date, as the verifications of phone and u2f answer them. */
export function toVerificationDetails(details: Details): MessageInitShape<typeof ObjectDetailsSchema> {
  return {
    sequence: BigInt(details.sequence),
    changeDate: toTimestamp(details.sequence),
    resourceOwner: details.resourceOwner,
  };
}

/** Makes the answer of a change that says nothing but where the object stands. */
export function toDetailsAnswer(details: Details): {
  readonly details: MessageInitShape<typeof ObjectDetailsSchema>;
} {
  return { details: toObjectDetails(details) };
}

/** Returns microseconds since 1970 as a Timestamp. */
export function toTimestamp(micros: number): MessageInitShape<typeof TimestampSchema> {
  const seconds = Math.floor(micros / 1_000_000);
  return { seconds: BigInt(seconds), nanos: (micros - seconds * 1_000_000) * 1000 };
}

/** Returns milliseconds since 1970, cut; undefined when the timestamp is absent. */
export function toMilliseconds(timestamp: Timestamp | undefined): number | undefined {
  return timestamp === undefined
    ? undefined
    : Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000);
}

/**
 * Returns a violation for a timestamp that is none: a fraction below 0 or of a second and more, which only binary can
 * carry. It would reach past the bounds of the field, and an instant after the year 9999 cannot be written in JSON.
 */
export function checkTimestamp(field: string, timestamp: Timestamp | undefined): readonly FieldViolation[] {
  if (timestamp === undefined || (timestamp.nanos >= 0 && timestamp.nanos < 1_000_000_000)) return [];
  return [{ field, description: "must have nanos from 0 to 999999999" }];
}

/** Returns which page a list request asks for. */
export function toPageRequest(request: {
  pageSize: number;
  pageToken: string;
  countTotal: boolean;
}): PageRequest {
  return { pageSize: request.pageSize, pageToken: request.pageToken, countTotal: request.countTotal };
}

/** Returns the details of a list: what was counted, and up to which event it is true. */
export function toListDetails(
  page: Page<unknown>,
  state: { readonly sequence: number; readonly nowMs: number },
): MessageInitShape<typeof ListDetailsSchema> {
  return {
    ...(page.totalResult === undefined ? {} : { totalResult: BigInt(page.totalResult) }),
    processedSequence: BigInt(state.sequence),
    viewTimestamp: toTimestamp(state.nowMs * 1000),
  };
}

/** Returns the name of an enum value, as events hold it; that of the zero value when the number is unknown. */
export function enumName(descriptor: DescEnum, value: number): string {
  return (
    (descriptor.values.find((candidate) => candidate.number === value) ?? descriptor.values[0])?.name ?? ""
  );
}

/** Returns the enum value of that name; the zero value for a name that does not exist. */
export function enumNumber<D extends DescEnum>(descriptor: D, name: string): EnumShape<D> {
  const number = descriptor.values.find((candidate) => candidate.name === name)?.number ?? 0;
  return number as EnumShape<D>; // a number out of the descriptor
}

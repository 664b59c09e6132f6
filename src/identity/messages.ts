import type { DescEnum, EnumShape, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { Details } from "../kernel/base/details.ts";
import type { FieldViolation } from "../kernel/base/problem.ts";
import type { PageRequest } from "../kernel/base/paging.ts";
import type { ClientKey } from "./client-keys/client-key.ts";
import type { FeatureContext } from "./context.ts";
import type { ListedPage } from "./list.ts";
import type { Removal } from "./removal.ts";
import { KeyType } from "../../gen/gatehouse/v1/key_pb.ts";
import type {
  ListDetailsSchema,
  ObjectDetailsSchema,
  RemovedSchema,
} from "../../gen/gatehouse/v1/object_pb.ts";

/** Converts the details of an object to the message that every answer has for them. */
export function toObjectDetails(details: Details): MessageInitShape<typeof ObjectDetailsSchema> {
  return {
    sequence: BigInt(details.sequence),
    creationDate: toTimestamp(details.creationDate),
    changeDate: toTimestamp(details.sequence),
    resourceOwner: details.resourceOwner,
  };
}

/** Leaves out the creation date, as the verifications of phone and u2f do. */
export function toVerificationDetails(details: Details): MessageInitShape<typeof ObjectDetailsSchema> {
  return {
    sequence: BigInt(details.sequence),
    changeDate: toTimestamp(details.sequence),
    resourceOwner: details.resourceOwner,
  };
}

/** Makes the answer of a change that has no field but the details of the object. */
export function toDetailsAnswer(details: Details): {
  readonly details: MessageInitShape<typeof ObjectDetailsSchema>;
} {
  return { details: toObjectDetails(details) };
}

/** Makes the answer of a removal. */
export function toRemovalAnswer({ details, removed }: Removal): {
  readonly details: MessageInitShape<typeof ObjectDetailsSchema>;
  readonly removed: MessageInitShape<typeof RemovedSchema>[];
} {
  return {
    details: toObjectDetails(details),
    removed: removed.map(({ type, count }) => ({ type, count: BigInt(count) })),
  };
}

/** Converts an object to a Struct, which holds no undefined values: they are left out. */
export function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject; // the text of an object is that of an object
}

/** Converts microseconds since 1970 to a Timestamp. */
export function toTimestamp(micros: number): MessageInitShape<typeof TimestampSchema> {
  const seconds = Math.floor(micros / 1_000_000);
  return { seconds: BigInt(seconds), nanos: (micros - seconds * 1_000_000) * 1000 };
}

/** Converts milliseconds since 1970 to a Timestamp, exactly: from the year 2255 on, their microseconds are beyond 2^53. */
export function toTimestampOfMs(ms: number): MessageInitShape<typeof TimestampSchema> {
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1_000_000 };
}

/** Converts a Timestamp to milliseconds since 1970 and drops what is below one; undefined when it is absent. */
export function toMilliseconds(timestamp: Timestamp | undefined): number | undefined {
  return timestamp === undefined
    ? undefined
    : Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000);
}

/**
 * Finds a timestamp whose fraction is negative or at least a second, which only binary can carry. It could exceed the
 * bounds of the field, and JSON cannot represent an instant after the year 9999.
 */
export function checkTimestamp(field: string, timestamp: Timestamp | undefined): readonly FieldViolation[] {
  if (timestamp === undefined || (timestamp.nanos >= 0 && timestamp.nanos < 1_000_000_000)) return [];
  return [{ field, description: "must have nanos from 0 to 999999999" }];
}

/** Extracts the page from a list request. */
export function toPageRequest(request: {
  pageSize: number;
  pageToken: string;
  countTotal: boolean;
}): PageRequest {
  return { pageSize: request.pageSize, pageToken: request.pageToken, countTotal: request.countTotal };
}

/**
 * Converts a page to the fields that every list answers besides its items: the details of the list and the token of
 * the next page.
 */
export function toListAnswer(
  { page, sequence }: ListedPage<unknown>,
  { clock }: Pick<FeatureContext, "clock">,
): { details: MessageInitShape<typeof ListDetailsSchema>; nextPageToken: string } {
  return {
    details: {
      ...(page.totalResult === undefined ? {} : { totalResult: BigInt(page.totalResult) }),
      totalIsLowerBound: page.isLowerBound ?? false,
      processedSequence: BigInt(sequence),
      viewTimestamp: toTimestampOfMs(clock.nowMs()),
    },
    nextPageToken: page.nextPageToken,
  };
}

/** Converts a key of a service user or an application. */
export function toKeyMessage({ id, details, expirationMs }: ClientKey) {
  return {
    id,
    details: toObjectDetails(details),
    type: KeyType.JSON,
    ...(expirationMs === undefined ? {} : { expirationDate: toTimestampOfMs(expirationMs) }),
  };
}

/** The domain name of an enum value: the proto name without the common prefix. */
type ValueName<E> = Exclude<keyof E & string, "UNSPECIFIED">;

/**
 * Names a value of an enum as the domain does, `ACTIVE` for `PROJECT_STATE_ACTIVE`. Returns undefined for UNSPECIFIED and for
 * numbers that the enum does not have. The way back is the enum itself: `ProjectState[project.state]`.
 */
export function valueName<E extends Readonly<Record<string, number>>>(
  values: E,
  value: number,
): ValueName<E> | undefined {
  if (value === 0) return undefined;
  const found = Object.entries(values).find(([, number]) => number === value);
  return found?.[0] as ValueName<E> | undefined; // a key of the enum, and not that of 0
}

/** Returns the proto name of an enum value, as events hold it; that of the zero value when the number is unknown. */
export function enumName(descriptor: DescEnum, value: number): string {
  return (
    (descriptor.values.find((candidate) => candidate.number === value) ?? descriptor.values[0])?.name ?? ""
  );
}

/** Returns the enum value of a proto name; the zero value for a name that does not exist. */
export function enumNumber<D extends DescEnum>(descriptor: D, name: string): EnumShape<D> {
  const number = descriptor.values.find((candidate) => candidate.name === name)?.number ?? 0;
  return number as EnumShape<D>; // a number out of the descriptor
}

import { createHash } from "node:crypto";
import type { FieldViolation } from "../../../kernel/base/problem.ts";
import type { UserState } from "./user.ts";

/** Which users of an organization are listed. */
export interface UserFilter {
  /** Compared like unique names. */
  readonly username?: string;
  /** The case of ASCII letters is ignored; empty = users with any address or none. */
  readonly email?: string;
  /** Only users with an invitation that they have not taken yet. */
  readonly isInvited?: true | undefined;
  /** Only users with this key in their metadata, and this value of it, as `toMetadataFilter` writes them. */
  readonly metadata?: string | undefined;
  readonly state?: UserState | undefined;
}

/** Which metadata the users of a list have. */
export interface MetadataFilter {
  readonly key: string;
  /** In hexadecimal; undefined: any value. */
  readonly digest: string | undefined;
}

/**
 * Returns the digest by which users are found by metadata: SHA-256 of key, NUL and value, as migrations make it too. It stands beside the
 * value, and goes with it.
 */
export function digestMetadata(key: string, value: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(`${key}\0`).update(value).digest());
}

/** Writes a filter as the text that lists compare and bind their page tokens to; undefined when nothing is asked for. */
export function toMetadataFilter(asked: {
  readonly metadataKey: string;
  readonly metadataValue: Uint8Array;
}): string | undefined {
  if (asked.metadataKey === "") return undefined;
  const { metadataKey: key, metadataValue: value } = asked;
  const digest = value.length === 0 ? "" : Buffer.from(digestMetadata(key, value)).toString("hex");
  return `${digest} ${key}`;
}

/** Reads what `toMetadataFilter` has written. */
export function parseMetadataFilter(text: string): MetadataFilter {
  const end = text.indexOf(" ");
  return { key: text.slice(end + 1), digest: text.slice(0, end) || undefined };
}

/** Finds a value that is asked for without its key. */
export function checkMetadataFilter(asked: {
  readonly metadataKey: string;
  readonly metadataValue: Uint8Array;
}): readonly FieldViolation[] {
  if (asked.metadataKey !== "" || asked.metadataValue.length === 0) return [];
  return [{ field: "metadata_key", description: "must be given with metadata_value" }];
}

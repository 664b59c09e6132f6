import type { Details } from "../../kernel/base/details.ts";
import { type FieldViolation, limitReached, notFound, type Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { MetadataKind } from "../../kernel/events/payloads.ts";

/** A key of an object and its value, which the service does not read. */
export interface Metadata extends MetadataItem {
  /** When the key was first set, and when it got this value. */
  readonly details: Details;
}

/** A key and its value. */
export interface MetadataItem {
  readonly key: string;
  readonly value: Uint8Array;
}

/** An object that has metadata. */
export interface MetadataObject {
  readonly kind: MetadataKind;
  readonly id: string;
  readonly details: Details;
}

/** An object may have so many keys. */
export const maxMetadataKeys = 100;

/**
 * Decides to set keys: an event, or none when all of them have these values. `stored` are the values of these keys, and `count` is the
 * number of all keys. Raises LIMIT_REACHED.
 */
export function setMetadata(
  object: MetadataObject,
  items: readonly MetadataItem[],
  { stored, count }: { readonly stored: readonly MetadataItem[]; readonly count: number },
): readonly NewEvent[] {
  const values = new Map(stored.map(({ key, value }) => [key, toBase64(value)]));
  const entries = items.map(({ key, value }) => ({ key, value: toBase64(value) }));
  const changed = entries.filter(({ key, value }) => values.get(key) !== value);
  if (count + entries.length - values.size > maxMetadataKeys)
    throw limitReached(typeOf(object), maxMetadataKeys);
  if (changed.length === 0) return [];
  return [{ type: `${object.kind}.metadata.set`, ...aggregateOf(object), payload: { entries: changed } }];
}

/** Decides to remove a key that the object has. */
export function removeMetadata(object: MetadataObject, key: string): NewEvent {
  return { type: `${object.kind}.metadata.removed`, ...aggregateOf(object), payload: { key } };
}

/** Says whether users may read the key of their own metadata without the permission. */
export function isOpenToSelf(key: string): boolean {
  return !key.startsWith("_");
}

/** Finds keys that are named twice. */
export function checkMetadataKeys(items: readonly Pick<MetadataItem, "key">[]): readonly FieldViolation[] {
  const seen = new Set<string>();
  return items.flatMap(({ key }, index) => {
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [{ field: `items[${index}].key`, description: "must not be named twice" }];
  });
}

/** Returns the problem of a key that the object does not have, or that is hidden from the caller. */
export function metadataNotFound({ kind }: Pick<MetadataObject, "kind">, key: string): Problem {
  return notFound(typeOf({ kind }), key);
}

function typeOf({ kind }: Pick<MetadataObject, "kind">): string {
  return `${kind}.metadata`;
}

function aggregateOf({ id, details }: MetadataObject) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

function toBase64(value: Uint8Array): string {
  return Buffer.from(value).toString("base64");
}

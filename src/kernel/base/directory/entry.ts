/** What an attribute of an entry holds: bytes, which most often are text. */
export type AttributeValue = string | Uint8Array;

/** An entry of a directory. */
export interface DirectoryEntry {
  readonly dn: string;
  /** By the names of the attributes in lower case. */
  readonly attributes: ReadonlyMap<string, readonly AttributeValue[]>;
  /** The attributes of which the server gives a part only. */
  readonly partial: ReadonlySet<string>;
}

/** Returns the values of an attribute, whatever the case of its name; none if the entry does not have it. */
export function valuesOf(entry: DirectoryEntry, attribute: string): readonly AttributeValue[] {
  return entry.attributes.get(attribute.toLowerCase()) ?? [];
}

/** Returns the first value of an attribute that is text without control characters; undefined: there is none. */
export function textOfEntry(entry: DirectoryEntry, attribute: string): string | undefined {
  for (const value of valuesOf(entry, attribute)) {
    if (typeof value !== "string") continue;
    const text = value.trim();
    if (text !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text)) return text;
  }
  return undefined;
}

import { type BerElement, BerError, readBer, readBerNumber } from "./ber.ts";
import type { AttributeValue, DirectoryEntry } from "../../base/directory/entry.ts";

/** What a server says to a request (RFC 4511 §4.1.1). */
export type DirectoryAnswer =
  | { readonly kind: "entry"; readonly id: number; readonly entry: DirectoryEntry }
  /** More may be found elsewhere, where nobody looks. */
  | { readonly kind: "reference"; readonly id: number }
  /** The end of a request. */
  | {
      readonly kind: "result";
      readonly id: number;
      /** The tag of the answer, which says what was asked. */
      readonly tag: number;
      /** RFC 4511 appendix A. */
      readonly code: number;
      /** Names the next page (RFC 2696); undefined: there is none. */
      readonly cookie: Buffer | undefined;
    };

/** The tags of results (RFC 4511 §4.2.2, 4.5.2, 4.12). */
export const resultTags = { bind: 0x61, search: 0x65, extended: 0x78 } as const;

const tags = {
  sequence: 0x30,
  set: 0x31,
  octets: 0x04,
  entry: 0x64,
  reference: 0x73,
  controls: 0xa0,
} as const;
const pagedResults = "1.2.840.113556.1.4.319";

/** Reads the message of a server, which is one element. Raises a BerError for anything else than an answer. */
export function readAnswer(bytes: Buffer): DirectoryAnswer {
  const [message, ...more] = readBer(bytes);
  if (message?.tag !== tags.sequence || more.length > 0) throw new BerError("no message");
  const [idElement, operation, controls] = readBer(message.content);
  if (idElement?.tag !== 0x02 || operation === undefined) throw new BerError("no message");
  const id = readBerNumber(idElement);
  switch (operation.tag) {
    case tags.entry:
      return { kind: "entry", id, entry: readEntry(operation) };
    case tags.reference:
      return { kind: "reference", id };
    case resultTags.bind:
    case resultTags.search:
    case resultTags.extended: {
      const [code] = readBer(operation.content);
      if (code?.tag !== 0x0a) throw new BerError("no result code");
      return {
        kind: "result",
        id,
        tag: operation.tag,
        code: readBerNumber(code),
        cookie: findCookie(controls),
      };
    }
    default:
      throw new BerError("an unknown answer");
  }
}

function readEntry(operation: BerElement): DirectoryEntry {
  const [name, list] = readBer(operation.content);
  if (name?.tag !== tags.octets || list?.tag !== tags.sequence) throw new BerError("no entry");
  const attributes = new Map<string, readonly AttributeValue[]>();
  const partial = new Set<string>();
  for (const attribute of readBer(list.content)) {
    const [type, set] = readBer(attribute.content);
    if (type?.tag !== tags.octets || set?.tag !== tags.set) throw new BerError("no attribute");
    // With options, such as `memberOf;range=0-1499` of Active Directory, it is not the whole attribute.
    const [written = "", ...options] = type.content.toString("latin1").toLowerCase().split(";");
    if (options.length > 0) partial.add(written);
    else attributes.set(written, readBer(set.content).map(toValue));
  }
  return { dn: name.content.toString("utf8"), attributes, partial };
}

const strictText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function toValue({ content }: BerElement): AttributeValue {
  try {
    return strictText.decode(content);
  } catch {
    return new Uint8Array(content);
  }
}

function findCookie(controls: BerElement | undefined): Buffer | undefined {
  if (controls?.tag !== tags.controls) return undefined;
  for (const control of readBer(controls.content)) {
    const [type, ...rest] = readBer(control.content);
    const value = rest.findLast(({ tag }) => tag === tags.octets);
    if (type?.content.toString("latin1") !== pagedResults || value === undefined) continue;
    const [, cookie] = readBer(readBer(value.content)[0]?.content ?? Buffer.alloc(0));
    return cookie === undefined || cookie.content.length === 0 ? undefined : cookie.content;
  }
  return undefined;
}

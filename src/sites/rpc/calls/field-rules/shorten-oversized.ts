import { type DescField, type DescMessage, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import { reflect, type ReflectList, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { field as fieldOption, Ignore } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** Shortens a message of the schema in place. */
export type ShortenOversized = (schema: DescMessage, message: Message) => void;

/**
 * Creates the function that shortens each text and list that is too long, to just over its bound: it still breaks the rule, so the
 * message is still refused, and all other rules can be checked. Protovalidate would look at every entry of a list that is too
 * long, and run patterns over megabytes of text, which takes seconds for one request.
 */
export function createShortenOversized(): ShortenOversized {
  // Reading a bound decodes all rules of the field, which took a third of the time of the field rules of a call.
  const known = new Map<DescField, Bounds>();
  const boundsOf: BoundsOf = (field) => {
    const bounds = known.get(field) ?? readBounds(field);
    known.set(field, bounds);
    return bounds;
  };
  return (schema, message) => cut(reflect(schema, message), boundsOf);
}

type BoundsOf = (field: DescField) => Bounds;

function cut(message: ReflectMessage, boundsOf: BoundsOf): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === "list") cutList(field, message.get(field), boundsOf);
    else if (field.fieldKind === "message" && isOurs(field.message) && !boundsOf(field).isIgnored)
      cut(message.get(field), boundsOf);
    else if (field.fieldKind === "scalar") {
      const value = message.get(field);
      if (typeof value === "string") message.set(field, cutText(value, boundsOf(field).characters));
    }
  }
}

function cutList(field: DescField & { fieldKind: "list" }, list: ReflectList, boundsOf: BoundsOf): void {
  const { entries, characters } = boundsOf(field);
  if (list.size > entries + 1) {
    const kept = [...list].slice(0, entries + 1);
    list.clear();
    for (const entry of kept) list.add(entry);
  }
  for (const [index, entry] of list.entries()) {
    if (field.listKind === "message" && isOurs(field.message)) cut(entry as ReflectMessage, boundsOf); // a list of messages
    if (typeof entry === "string" && entry.length > 2 * characters)
      list.set(index, cutText(entry, characters));
  }
}

/** A character outside of the BMP counts as one but has two units: only more than twice the bound is certainly too long. */
function cutText(text: string, characters: number): string {
  return text.length > 2 * (characters + 1) ? text.slice(0, 2 * (characters + 1)) : text;
}

function isOurs(message: DescMessage): boolean {
  return message.typeName.startsWith("gatehouse.");
}

interface Bounds {
  readonly entries: number;
  readonly characters: number;
  /** Whether the field is not checked with the rest: the items of a batch are checked one by one, in their turn. */
  readonly isIgnored: boolean;
}

/** Reads how many entries and characters the rule of the field allows; infinity without such a rule. */
function readBounds(field: DescField): Bounds {
  const none = Number.POSITIVE_INFINITY;
  if (!hasOption(field, fieldOption)) return { entries: none, characters: none, isIgnored: false };
  const { type, ignore } = getOption(field, fieldOption);
  const isList = type.case === "repeated";
  const item = isList ? type.value.items?.type : type;
  return {
    entries: isList ? Number(type.value.maxItems || none) : none,
    characters: item?.case === "string" ? Number(item.value.maxLen || none) : none,
    isIgnored: ignore === Ignore.ALWAYS,
  };
}

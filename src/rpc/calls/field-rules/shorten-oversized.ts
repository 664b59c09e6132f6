import { type DescField, type DescMessage, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import { reflect, type ReflectList, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { field as fieldOption, Ignore } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** Shortens the message of this schema in place. */
export type ShortenOversized = (schema: DescMessage, message: Message) => void;

/**
 * Creates a function that shortens each text and list beyond its limit to just over the limit. The message still
 * breaks the same rule and is refused, and all other rules can still be checked. Protovalidate checks every entry of
 * a list that is too long, and runs patterns over a text of megabytes: seconds for one request.
 */
export function createShortenOversized(): ShortenOversized {
  // Reading a limit decodes all rules of its field: a third of the cost of the field rules of a call.
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

/** A character outside the BMP counts once and has two units, so twice the limit plus two is certainly over it. */
function cutText(text: string, characters: number): string {
  return text.length > 2 * (characters + 1) ? text.slice(0, 2 * (characters + 1)) : text;
}

function isOurs(message: DescMessage): boolean {
  return message.typeName.startsWith("gatehouse.");
}

interface Bounds {
  readonly entries: number;
  readonly characters: number;
  /** Whether its content is checked separately: each item of a batch is checked when its turn comes. */
  readonly isIgnored: boolean;
}

/** Returns the maximum number of entries and characters by the rule of the field; infinity without such a rule. */
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

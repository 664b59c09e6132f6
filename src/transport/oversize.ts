import { type DescField, type DescMessage, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import { reflect, type ReflectList, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { field as fieldOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/**
 * Cuts each text and list that is over its bound to what is just over it. It breaks the same rule as before, so the message
 * is refused all the same, and all other rules can still be judged. Protovalidate looks at every entry of a list that is too
 * long, and runs patterns over a text of megabytes: seconds for one request.
 */
export function cutOversized(schema: DescMessage, message: Message): void {
  cut(reflect(schema, message));
}

function cut(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === "list") cutList(field, message.get(field));
    else if (field.fieldKind === "message" && isOurs(field.message)) cut(message.get(field));
    else if (field.fieldKind === "scalar") {
      const value = message.get(field);
      if (typeof value === "string") message.set(field, cutText(value, boundsOf(field).characters));
    }
  }
}

function cutList(field: DescField & { fieldKind: "list" }, list: ReflectList): void {
  const { entries, characters } = boundsOf(field);
  if (list.size > entries + 1) {
    const kept = [...list].slice(0, entries + 1);
    list.clear();
    for (const entry of kept) list.add(entry);
  }
  for (const [index, entry] of list.entries()) {
    if (field.listKind === "message" && isOurs(field.message)) cut(entry as ReflectMessage); // a list of messages
    if (typeof entry === "string" && entry.length > 2 * characters)
      list.set(index, cutText(entry, characters));
  }
}

/** A character outside of the BMP counts once and has two units, so twice the bound and two is over it for certain. */
function cutText(text: string, characters: number): string {
  return text.length > 2 * (characters + 1) ? text.slice(0, 2 * (characters + 1)) : text;
}

function isOurs(message: DescMessage): boolean {
  return message.typeName.startsWith("gatehouse.");
}

interface Bounds {
  readonly entries: number;
  readonly characters: number;
}

const known = new WeakMap<DescField, Bounds>();

/** Returns the bounds of the field; reading them out of its options costs more than all else here. */
function boundsOf(field: DescField): Bounds {
  const bounds = known.get(field) ?? readBounds(field);
  known.set(field, bounds);
  return bounds;
}

/** Returns the most entries and characters that the rule of the field allows; infinity without such a rule. */
function readBounds(field: DescField): Bounds {
  const none = Number.POSITIVE_INFINITY;
  if (!hasOption(field, fieldOption)) return { entries: none, characters: none };
  const { type } = getOption(field, fieldOption);
  const isList = type.case === "repeated";
  const item = isList ? type.value.items?.type : type;
  return {
    entries: isList ? Number(type.value.maxItems || none) : none,
    characters: item?.case === "string" ? Number(item.value.maxLen || none) : none,
  };
}

import { basename } from "node:path";
import { maxLineBytes, readLines } from "../lines.ts";
import { type GroupRecord, type ProjectRecord, type Remark, remark, type UserRecord } from "../records.ts";
import { quote } from "../report.ts";
import { readOr, textValueOf, toRoleRefs, toUser, userFields } from "./values.ts";

type Fields = Readonly<Record<string, unknown>>;
type Structure = ProjectRecord | GroupRecord;

/** Reads everything but users of a file with a JSON object in each line. */
export async function* readStructure(file: string): AsyncIterable<Structure | Remark> {
  for await (const { where, fields, type } of readObjects(file)) {
    if (type === "project" || type === "group")
      yield readOr<Structure | Remark>(
        () => (type === "project" ? toProject(where, fields) : toGroup(where, fields)),
        (fault) => remark(where, "problem", `a ${type} is left out: ${fault}`),
      );
  }
}

/** Reads the users of such a file, and says what cannot be read. */
export async function* readUsers(file: string): AsyncIterable<UserRecord | Remark> {
  const unknown = new Set<string>();
  for await (const { where, fields, type, fault } of readObjects(file)) {
    if (fault !== undefined) yield remark(where, "problem", fault);
    else if (type === "user") {
      yield* listUnknown(where, fields, unknown);
      yield toUser(where, fields);
    } else if (type !== "project" && type !== "group")
      yield remark(
        where,
        "problem",
        `is left out: its type ${quote(type)} is none of user, group and project`,
      );
  }
}

interface ReadObject {
  readonly where: string;
  readonly fields: Fields;
  readonly type: string;
  /** Why it is none. */
  readonly fault?: string;
}

async function* readObjects(file: string): AsyncIterable<ReadObject> {
  const name = basename(file);
  for await (const { number, text } of readLines(file)) {
    const where = `${name} line ${number}`;
    const none = { where, fields: {}, type: "" };
    if (text === undefined) yield { ...none, fault: `is not UTF-8, or has more than ${maxLineBytes} bytes` };
    else if (text.trim() !== "") {
      const fields = parseObject(text);
      if (fields === undefined) yield { ...none, fault: "is no JSON object; perhaps the file is cut off" };
      else yield { where, fields, type: typeof fields["type"] === "string" ? fields["type"] : "user" };
    }
  }
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Names each unknown field once. */
function listUnknown(where: string, fields: Fields, known: Set<string>): readonly Remark[] {
  const isKnown = (name: string) =>
    name === "type" || (userFields as readonly string[]).includes(name) || known.has(name);
  const unknown = Object.keys(fields).filter((name) => !isKnown(name));
  for (const name of unknown) known.add(name);
  return unknown.map((name) =>
    remark(where, "note", `the field ${quote(name)} does not come along, here and in the lines below`),
  );
}

function toProject(where: string, fields: Fields): ProjectRecord {
  const roles: unknown = fields["roles"] ?? [];
  const each = Array.isArray(roles) ? roles : [roles];
  return {
    kind: "project",
    where,
    oldId: textValueOf(fields, "id"),
    name: textValueOf(fields, "name"),
    roles: each.map((role: unknown) => {
      const { key, display_name, group } = (
        typeof role === "object" && role !== null ? role : { key: role }
      ) as Fields; // any fields
      const texts = { key, display_name, group };
      return {
        key: textValueOf(texts, "key"),
        displayName: textValueOf(texts, "display_name"),
        group: textValueOf(texts, "group"),
      };
    }),
  };
}

function toGroup(where: string, fields: Fields): GroupRecord {
  return {
    kind: "group",
    where,
    oldId: textValueOf(fields, "id"),
    name: textValueOf(fields, "name"),
    description: textValueOf(fields, "description"),
    parentOldId: textValueOf(fields, "parent"),
    roles: toRoleRefs(fields),
  };
}

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AddHumanUserRequestSchema } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import type { CsvRow, CsvTable } from "./csv.ts";

/** The columns of a file of people, as `gatehouse import generic` names them. */
export const columns = [
  "id",
  "username",
  "given_name",
  "family_name",
  "display_name",
  "preferred_language",
  "email",
  "email_verified",
  "phone",
  "phone_verified",
  "state",
  "password_hash",
  "password_change_required",
  "totp_secret",
  "groups",
  "roles",
  "metadata",
] as const;

type Column = (typeof columns)[number];

/** What the user of the console may give people beside their names and addresses. */
export interface ImportRights {
  /** Ids of the other system: `user.write` on the instance. */
  readonly importsIds: boolean;
  /** Verified addresses: `user.credential.write` on the organization. */
  readonly vouches: boolean;
  /** Passwords: `user.credential.write` on the instance. */
  readonly setsHashes: boolean;
}

/** Something that is said of a row: a text of the console by its name, or what the service has said. */
export type Remark = { readonly kind: string; readonly value?: string };

/** A person of the file, as they are added. */
export interface Person {
  readonly line: number;
  /** Their id in the other system. */
  readonly oldId: string;
  readonly request: Omit<
    Exclude<MessageInitShape<typeof AddHumanUserRequestSchema>, { $typeName: string }>,
    "email"
  > & {
    readonly username: string;
    readonly email: string;
  };
  readonly state: "active" | "inactive" | "locked";
  /** Names or ids. */
  readonly groups: readonly string[];
  readonly roles: readonly { readonly project: string; readonly key: string }[];
  readonly metadata: readonly { readonly key: string; readonly value: Uint8Array }[];
  /** What they come without, or what was filled in. */
  readonly remarks: readonly Remark[];
}

/** A row that cannot become a person, and why. */
export interface FaultyRow {
  readonly line: number;
  readonly oldId: string;
  readonly username: string;
  readonly faults: readonly Remark[];
}

/** The people of a file. */
export interface People {
  readonly people: readonly Person[];
  readonly faulty: readonly FaultyRow[];
  /** Columns that nothing is known of. */
  readonly unknownColumns: readonly string[];
  /** Why the file as a whole cannot be read. */
  readonly fault?: Remark;
}

/** A value that is not what its column holds. */
class ValueFault extends Error {
  readonly remark: Remark;
  constructor(kind: string, value: string) {
    super(kind);
    this.remark = { kind, value };
  }
}

/** Makes people of the rows of a table, whose first one names the columns. */
export function readPeople(table: CsvTable, rights: ImportRights): People {
  const none = { people: [], faulty: [], unknownColumns: [] };
  const [header, ...rows] = table.rows;
  if (header === undefined) return { ...none, fault: { kind: "noHeader" } };
  const titles = header.values.map((title) =>
    columns.find((column) => column === title.trim().toLowerCase()),
  );
  const twice = titles.find((title, index) => title !== undefined && titles.indexOf(title) !== index);
  if (twice !== undefined) return { ...none, fault: { kind: "columnTwice", value: twice } };
  if (!titles.includes("id")) return { ...none, fault: { kind: "noId" } };
  const people: Person[] = [];
  const faulty: FaultyRow[] = [];
  const ids = new Map<string, number>();
  const names = new Map<string, number>();
  for (const row of rows) {
    const result = readRow(row, titles, rights);
    if ("faults" in result) {
      faulty.push(result);
      continue;
    }
    const { line, oldId, request } = result;
    const name = request.username.normalize("NFKC").trim().toLowerCase();
    const former = ids.get(oldId) ?? names.get(name);
    if (former === undefined) {
      ids.set(oldId, line);
      names.set(name, line);
      people.push(result);
    } else {
      const kind = ids.has(oldId) ? "idTwice" : "usernameTwice";
      faulty.push({ line, oldId, username: request.username, faults: [{ kind, value: String(former) }] });
    }
  }
  const unknownColumns = header.values.filter((_title, index) => titles[index] === undefined);
  const { fault } = table;
  if (fault !== undefined)
    faulty.push({ line: fault.line, oldId: "", username: "", faults: [{ kind: fault.kind }] });
  return { people, faulty, unknownColumns };
}

function readRow(
  { line, values }: CsvRow,
  titles: readonly (Column | undefined)[],
  rights: ImportRights,
): Person | FaultyRow {
  const fields = new Map(titles.map((title, index) => [title, (values[index] ?? "").trim()]));
  const value = (column: Column): string => fields.get(column) ?? "";
  const named = { line, oldId: value("id"), username: value("username") || value("email") };
  const faultOf = (kind: string, text: string): FaultyRow => ({ ...named, faults: [{ kind, value: text }] });
  if (values.length !== titles.length) return faultOf("wrongLength", String(values.length));
  if (values.some((each) => each.includes("\u{fffd}"))) return faultOf("notUtf8", "");
  if (named.oldId === "") return faultOf("emptyId", "");
  if (value("email") === "") return faultOf("noEmail", "");
  try {
    return { ...named, ...readFields(value, rights) };
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    return { ...named, faults: [error.remark] };
  }
}

function readFields(value: (column: Column) => string, rights: ImportRights): Omit<Person, "line" | "oldId"> {
  const remarks: Remark[] = [];
  const state = value("state").toLowerCase() || "active";
  if (state !== "active" && state !== "inactive" && state !== "locked")
    throw new ValueFault("badState", state);
  const isVerified = readFlag(value, "email_verified");
  const hash = value("password_hash");
  if (value("totp_secret") !== "") remarks.push({ kind: "withoutTotp" });
  if (readFlag(value, "phone_verified")) remarks.push({ kind: "phoneUnverified" });
  if (isVerified && !rights.vouches) remarks.push({ kind: "emailUnverified" });
  if (hash !== "" && !rights.setsHashes) remarks.push({ kind: "withoutPassword" });
  const isChangeRequired = readFlag(value, "password_change_required");
  const hasHash = hash !== "" && rights.setsHashes;
  return {
    state,
    groups: toList(value("groups")),
    roles: toList(value("roles")).map(toRole),
    metadata: readMetadata(value("metadata")),
    remarks,
    request: {
      ...readNames(value, remarks),
      username: value("username") || value("email"),
      preferredLanguage: value("preferred_language"),
      email: value("email"),
      phone: value("phone"),
      ...(rights.importsIds ? { importedId: value("id") } : {}),
      ...(isVerified && rights.vouches
        ? { emailVerification: { case: "isVerified" as const, value: true } }
        : {}),
      ...(hasHash ? { firstPassword: { case: "passwordHash" as const, value: hash } } : {}),
      passwordChangeRequired: hasHash && isChangeRequired,
    },
  };
}

/** Every person has two names here: the other system may have asked for one alone, or for none. */
function readNames(value: (column: Column) => string, remarks: Remark[]) {
  const displayName = value("display_name");
  const givenName = value("given_name");
  const familyName = value("family_name");
  if (givenName !== "" && familyName !== "") return { givenName, familyName, displayName };
  remarks.push({ kind: "namesFilled" });
  const words = displayName.split(/\s+/).filter((word) => word !== "");
  if (givenName === "" && familyName === "" && words.length > 1)
    return { givenName: words.slice(0, -1).join(" "), familyName: words.at(-1) ?? "", displayName };
  return { givenName: givenName || (words[0] ?? "-"), familyName: familyName || "-", displayName };
}

function readFlag(value: (column: Column) => string, column: Column): boolean {
  const text = value(column).toLowerCase();
  if (["", "false", "0", "no"].includes(text)) return false;
  if (["true", "1", "yes"].includes(text)) return true;
  throw new ValueFault("badFlag", column);
}

function toList(text: string): readonly string[] {
  const each = text.split(";").map((part) => part.trim());
  return [...new Set(each.filter((part) => part !== ""))];
}

/** The key stands behind the last `/`: names of projects may have one. */
function toRole(text: string): Person["roles"][number] {
  const at = text.lastIndexOf("/");
  const [project, key] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (project === "" || key === "") throw new ValueFault("badRole", text);
  return { project, key };
}

function readMetadata(text: string): Person["metadata"] {
  if (text === "") return [];
  const given = parseJson(text);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ValueFault("badMetadata", "");
  return Object.entries(given).map(([key, value]: [string, unknown]) => ({
    key,
    value: new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)),
  }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

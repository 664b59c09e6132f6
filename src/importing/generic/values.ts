import { Secret } from "../../kernel/base/secret.ts";
import { type Remark, remark, type RoleRef, type UserRecord } from "../records.ts";
import { fromBase32 } from "../base32.ts";
import { toMetadataItems } from "../metadata.ts";
import { quote } from "../report.ts";

/** The fields of a user in a file, by their names in it. */
export const userFields = [
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

/** The name of a field of a user. */
export type UserField = (typeof userFields)[number];

/** A value of a file: a text of CSV, or anything of JSON. */
export type Values = Readonly<Partial<Record<UserField, unknown>>>;

/** A value that is not what the field holds. */
class ValueFault extends Error {}

/** Makes the record of a user. A remark if a value cannot be read. */
export function toUser(where: string, values: Values): UserRecord | Remark {
  try {
    return readUser(where, values);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    return remark(where, "problem", `a user is left out: ${error.message}`);
  }
}

function readUser(where: string, values: Values): UserRecord {
  const hash = textValueOf(values, "password_hash");
  const totp = textValueOf(values, "totp_secret");
  const state = textValueOf(values, "state").toUpperCase();
  if (!isState(state)) throw new ValueFault("state must be active, inactive or locked");
  const totpSecret = totp === "" ? undefined : fromBase32(totp);
  const isTotpBad = totp !== "" && totpSecret === undefined;
  return {
    kind: "user",
    where,
    oldId: textValueOf(values, "id"),
    username: textValueOf(values, "username"),
    givenName: textValueOf(values, "given_name"),
    familyName: textValueOf(values, "family_name"),
    displayName: textValueOf(values, "display_name"),
    preferredLanguage: textValueOf(values, "preferred_language"),
    email: textValueOf(values, "email"),
    phone: textValueOf(values, "phone"),
    isEmailVerified: flagOf(values, "email_verified"),
    isPhoneVerified: flagOf(values, "phone_verified"),
    state: state === "" ? "ACTIVE" : state,
    passwordHash: hash === "" ? undefined : new Secret(hash),
    isPasswordChangeRequired: flagOf(values, "password_change_required"),
    totpSecret,
    groups: listOf(values, "groups"),
    roles: listOf(values, "roles").map(toRoleRef),
    links: [],
    metadata: metadataOf(values),
    remarks: isTotpBad
      ? [
          {
            mark: "problem",
            text: "comes without its authenticator app: totp_secret is not 10 bytes or more in base32",
          },
        ]
      : [],
  };
}

function isState(state: string): state is UserRecord["state"] | "" {
  return ["", "ACTIVE", "INACTIVE", "LOCKED"].includes(state);
}

/** Returns a text without the white space around it; empty if it is absent. JSON may have a number, such as an id. */
export function textValueOf(values: Readonly<Record<string, unknown>>, field: string): string {
  const value = values[field];
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw new ValueFault(`${field} must be a text`);
}

function flagOf(values: Values, field: UserField): boolean {
  const value = values[field];
  if (typeof value === "boolean") return value;
  const text = textValueOf(values, field).toLowerCase();
  if (["", "false", "0", "no"].includes(text)) return false;
  if (["true", "1", "yes"].includes(text)) return true;
  throw new ValueFault(`${field} must be true or false`);
}

/** CSV has lists with `;` between their values, JSON has arrays. */
function listOf(values: Values, field: UserField): readonly string[] {
  const value = values[field];
  if (Array.isArray(value)) {
    if (!value.every((each) => typeof each === "string")) throw new ValueFault(`${field} must hold texts`);
    return value;
  }
  return textValueOf(values, field)
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** CSV has the object as JSON. Values are texts; any other one is kept as JSON. */
function metadataOf(values: Values): UserRecord["metadata"] {
  const { metadata = "" } = values;
  const given: unknown =
    typeof metadata === "string" && metadata.trim() !== "" ? parseJson(metadata) : metadata;
  if (given === "" || given === null) return [];
  if (typeof given !== "object" || Array.isArray(given))
    throw new ValueFault("metadata must be a JSON object");
  return toMetadataItems(given);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A role stands behind the last `/`, because no key of a role has one that people would type, but names of projects may. */
function toRoleRef(text: string): RoleRef {
  const at = text.lastIndexOf("/");
  const project = text.slice(0, Math.max(at, 0));
  const key = text.slice(at + 1);
  if (project === "" || key === "") throw new ValueFault(`roles must be project/role, unlike ${quote(text)}`);
  return { project, roleKeys: [key] };
}

/** Reads roles of a file as users have them. Throws for what cannot be read. */
export function toRoleRefs(values: Readonly<Record<string, unknown>>): readonly RoleRef[] {
  return listOf({ roles: values["roles"] }, "roles").map(toRoleRef);
}

/** Calls `read`, and says what is wrong with a value that it cannot read. */
export function readOr<T>(read: () => T, otherwise: (fault: string) => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    return otherwise(error.message);
  }
}

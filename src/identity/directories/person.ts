import {
  type AttributeValue,
  type DirectoryEntry,
  textOfEntry,
  valuesOf,
} from "../../kernel/base/directory/entry.ts";
import { parseDn } from "../../kernel/base/names/distinguished-name.ts";
import { withoutInvisible } from "../../kernel/base/names/visible-name.ts";
import type { LdapConfig } from "../providers/ldap.ts";
import { attributesOf, stateAttributes } from "./attributes.ts";

/** What a directory says about somebody. */
export interface DirectoryPerson {
  readonly dn: string;
  /** Names them for ever; never their DN, name or address. */
  readonly subject: string;
  /** Whether the directory lets them in. */
  readonly isEnabled: boolean;
  readonly username: string | undefined;
  readonly email: string | undefined;
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  readonly displayName: string | undefined;
  readonly preferredLanguage: string | undefined;
  /** The DNs of the groups that the entry names, as `parseDn` writes them; undefined: it does not say, or says a part only. */
  readonly groupDns: readonly string[] | undefined;
}

/** A longer text is no name and no address, and is left out. */
const maxTextLength = 500;
const maxSubjectLength = 255;

/** Reads an entry; undefined if nothing names it for ever. */
export function readPerson(
  config: LdapConfig,
  entry: DirectoryEntry,
  nowMs: number,
): DirectoryPerson | undefined {
  const names = attributesOf(config);
  const subject = readSubject(config, entry, names.ids);
  if (subject === undefined) return undefined;
  const text = (attribute: string) => shortText(textOfEntry(entry, attribute));
  const name = (attribute: string) => {
    const written = text(attribute);
    return written === undefined ? undefined : shortText(withoutInvisible(written).trim());
  };
  return {
    dn: entry.dn,
    subject,
    isEnabled: isEnabled(entry, nowMs),
    username: name(names.username),
    email: text(names.email),
    givenName: name(names.givenName),
    familyName: name(names.familyName),
    displayName: name(names.displayName),
    preferredLanguage: text(names.preferredLanguage),
    groupDns: config.groupBaseDn === "" ? readGroups(entry, names.memberOf) : undefined,
  };
}

/** Returns the name for ever of an entry, in one spelling. */
function readSubject(
  { idAttribute }: LdapConfig,
  entry: DirectoryEntry,
  ids: readonly string[],
): string | undefined {
  const attribute = ids.find((id) => valuesOf(entry, id).length > 0);
  const [value, ...more] = attribute === undefined ? [] : valuesOf(entry, attribute);
  if (attribute === undefined || value === undefined || more.length > 0) return undefined;
  if (attribute.toLowerCase() === "objectguid") return toGuid(value);
  if (typeof value !== "string" || /\p{Cc}/u.test(value)) return undefined;
  const subject = idAttribute === "" ? value.toLowerCase() : value;
  return subject !== "" && subject.length <= maxSubjectLength ? subject : undefined;
}

/** Writes a GUID as Microsoft does: its first three parts come with their lowest byte first. */
function toGuid(value: AttributeValue): string | undefined {
  const bytes = Buffer.from(value as string); // or bytes
  if (bytes.length !== 16) return undefined;
  const part = (from: number, to: number) => bytes.subarray(from, to).toString("hex");
  const reversed = (from: number, to: number) =>
    Buffer.from(bytes.subarray(from, to).toReversed()).toString("hex");
  return [reversed(0, 4), reversed(4, 6), reversed(6, 8), part(8, 10), part(10, 16)].join("-");
}

/** The flag ACCOUNTDISABLE of Active Directory. */
const accountDisabled = 2;
/** How pwdAccountLockedTime says that an administrator has to unlock the entry. */
const lockedForever = "000001010000Z";
/** 1601 in ms before 1970; Active Directory counts from there. */
const windowsEpochMs = -11_644_473_600_000;
const never = new Set(["0", "9223372036854775807"]);

function isEnabled(entry: DirectoryEntry, nowMs: number): boolean {
  const text = (attribute: string) => textOfEntry(entry, attribute) ?? "";
  const flags = Number(text(stateAttributes.userAccountControl));
  if (Number.isInteger(flags) && (flags & accountDisabled) !== 0) return false;
  const expires = text(stateAttributes.accountExpires);
  const expiresMs = Number(expires) / 10_000 + windowsEpochMs;
  if (expires !== "" && !never.has(expires) && expiresMs <= nowMs) return false;
  if (text(stateAttributes.pwdAccountLockedTime) === lockedForever) return false;
  return ![stateAttributes.nsAccountLock, stateAttributes.loginDisabled].some(
    (attribute) => text(attribute).toLowerCase() === "true",
  );
}

function readGroups(entry: DirectoryEntry, attribute: string): readonly string[] | undefined {
  const isPart = entry.partial.has(attribute.toLowerCase());
  return isPart ? undefined : valuesOf(entry, attribute).flatMap(toGroupDns);
}

/** Returns the DN of a group in its one spelling; none for a value that is no DN. */
export function toGroupDns(value: AttributeValue): readonly string[] {
  const dn = typeof value === "string" ? parseDn(value) : undefined;
  return dn === undefined ? [] : [dn];
}

function shortText(text: string | undefined): string | undefined {
  return text === undefined || text === "" || text.length > maxTextLength ? undefined : text;
}

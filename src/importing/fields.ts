import { create } from "@bufbuild/protobuf";
import { BulkSetUserMetadataRequestSchema } from "../../gen/gatehouse/v1/metadata_service_pb.ts";
import { AddHumanUserRequestSchema } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { FieldViolation } from "../kernel/base/problem.ts";
import { checkLanguage } from "../identity/people/user/language-tag.ts";
import { normalizePhone } from "../identity/people/user/phone-number.ts";
import { checkVisible } from "../kernel/base/names/visible-name.ts";
import { createFieldRules, type FieldRules } from "../sites/rpc/calls/field-rules/field-rules.ts";
import type { HumanProfile } from "../identity/people/user/user.ts";
import type { UserRecord } from "./records.ts";

/** The profile of a person as it is added, with what had to be filled in or left out, or why they cannot be added. */
export type CheckedProfile =
  | {
      readonly profile: HumanProfile;
      readonly metadata: UserRecord["metadata"];
      readonly notes: readonly string[];
      readonly problems: readonly string[];
    }
  | { readonly profile: undefined; readonly problems: readonly string[] };

/** Stands for a name that the other system did not ask for: every person has two here. */
const unknownName = "-";

/** Creates a function that checks profiles by the rules that the API has for them. */
export function createProfileCheck(): (record: UserRecord) => CheckedProfile {
  const rules = createFieldRules([AddHumanUserRequestSchema, BulkSetUserMetadataRequestSchema]);
  return (record) => check(rules, record);
}

function check(rules: FieldRules, record: UserRecord): CheckedProfile {
  if (record.oldId === "") return { profile: undefined, problems: ["has no id"] };
  const { filled, notes } = fillNames(record);
  const problems: string[] = [];
  let { phone, email, preferredLanguage } = record;
  if (phone !== "") {
    phone = normalizePhone(phone) ?? "";
    if (phone === "") problems.push("comes without its phone, which is no number with a country code");
  }
  if (checkLanguage("preferred_language", preferredLanguage).length > 0) {
    preferredLanguage = "";
    problems.push("comes without its language, which is no BCP 47 tag");
  }
  const profile = { ...filled, preferredLanguage, email, phone };
  const violations = listViolations(rules, profile, record.oldId);
  const ofEmail = violations.filter(({ field }) => field === "email");
  if (ofEmail.length > 0) {
    email = "";
    problems.push(...ofEmail.map(({ description }) => `comes without its email, which ${description}`));
  }
  const others = violations.filter(({ field }) => field !== "email");
  const metadata = record.metadata.slice(0, maxMetadataKeys).filter((item) => isGoodItem(rules, item));
  const dropped = record.metadata.length - metadata.length;
  if (dropped > 0)
    problems.push(`comes without ${dropped} keys of metadata, which are too many, too long or no keys`);
  return others.length > 0
    ? { profile: undefined, problems: others.map(({ field, description }) => `${field} ${description}`) }
    : { profile: { ...profile, email }, metadata, notes, problems };
}

/** A user may have so many. */
const maxMetadataKeys = 100;

function isGoodItem(rules: FieldRules, item: UserRecord["metadata"][number]): boolean {
  const value = new Uint8Array(item.value);
  const request = create(BulkSetUserMetadataRequestSchema, {
    userId: "0",
    items: [{ key: item.key, value }],
  });
  return rules.check(BulkSetUserMetadataRequestSchema, request).length === 0;
}

function fillNames({ username, givenName, familyName, displayName, email }: UserRecord): {
  readonly filled: Pick<HumanProfile, "username" | "givenName" | "familyName" | "displayName">;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const name = username === "" ? email : username;
  if (username === "" && email !== "") notes.push("has no username and gets its email address as username");
  if (givenName !== "" && familyName !== "")
    return { filled: { username: name, givenName, familyName, displayName }, notes };
  const words = displayName
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  const isSplit = givenName === "" && familyName === "" && words.length > 1;
  const filled = isSplit
    ? { givenName: words.slice(0, -1).join(" "), familyName: words.at(-1) ?? "" }
    : {
        givenName: givenName === "" ? (words[0] ?? unknownName) : givenName,
        familyName: familyName === "" ? unknownName : familyName,
      };
  notes.push(
    isSplit
      ? "has neither given nor family name and gets the words of its display name"
      : `lacks a given or family name, for which ${JSON.stringify(unknownName)} or a word of the display name stands`,
  );
  return { filled: { username: name, displayName, ...filled }, notes };
}

function listViolations(
  rules: FieldRules,
  profile: HumanProfile,
  importedId: string,
): readonly FieldViolation[] {
  const { username, givenName: given_name, familyName: family_name, displayName: display_name } = profile;
  const violations = [
    ...rules.check(AddHumanUserRequestSchema, create(AddHumanUserRequestSchema, { ...profile, importedId })),
    ...checkVisible({ username, given_name, family_name, display_name }),
  ];
  // Other systems have people without an address.
  return profile.email === "" ? violations.filter(({ field }) => field !== "email") : violations;
}

import type { Database, ReadTransaction } from "../kernel/base/database.ts";
import type { SeenTexts } from "../kernel/storage/places/seen-texts.ts";
import { foldName } from "../kernel/base/names/folding.ts";
import type { FeatureContext } from "../identity/context.ts";
import { type Fate, findFates, importUsers, type ImportTarget } from "../identity/imports/commands.ts";
import type { ImportedSecurityKey, ImportedUser } from "../identity/imports/imported-user.ts";
import { isCredentialTaken } from "../identity/factors/authenticators/repository.ts";
import type { CheckedProfile } from "./fields.ts";
import type { HashReader, ReadHash } from "./hashes.ts";
import type { Remark, UserRecord } from "./records.ts";
import type { ImportReferences, Resolved } from "./references.ts";
import { quote, type Report, type ReportLine } from "./report.ts";

/** What users are added with. */
export interface UsersInput {
  readonly context: FeatureContext;
  readonly target: ImportTarget;
  readonly references: ImportReferences;
  readonly report: Report;
  readonly hashes: HashReader;
  readonly check: (record: UserRecord) => CheckedProfile;
  /** What the files had before. */
  readonly seen: SeenTexts;
  /** Whether they are added; otherwise it is only said what would become of them. */
  readonly isApplied: boolean;
  /** Called with the number of hashes that have to be hashed again. */
  readonly onFastHashes: (count: number) => void;
}

/** A record that was checked. */
interface Checked {
  readonly record: UserRecord;
  readonly profile: ImportedUser["profile"];
  readonly metadata: ImportedUser["metadata"];
  readonly hash: ReadHash | undefined;
  readonly lines: ReportLine[];
}

/** Adds a portion of users in one transaction, or says what would become of them. */
export async function addPortion(
  input: UsersInput,
  records: readonly (UserRecord | Remark)[],
): Promise<void> {
  const lines: (readonly ReportLine[])[] = [];
  const checked: Checked[] = [];
  for (const record of records) {
    if (record.kind === "remark") lines.push([record]);
    else {
      const one = await checkRecord(input, record);
      lines.push(one.lines);
      if (one.profile !== undefined) checked.push({ ...one, profile: one.profile });
    }
  }
  input.onFastHashes(checked.filter(({ hash }) => hash?.kind === "fast").length);
  const { database } = input.context;
  const users = await complete(input, database, checked);
  const fates = await decide(input, database, users);
  for (const [index, fate] of fates.entries()) {
    const one = checked[index];
    if (one !== undefined) one.lines.unshift(...toLines(one, fate));
    // What they come without is of no interest when they do not come.
    if (one !== undefined && fate.kind !== "new") one.lines.length = 1;
  }
  input.report.add(...lines.flat());
}

async function checkRecord(
  { check, seen, hashes }: UsersInput,
  record: UserRecord,
): Promise<Omit<Checked, "profile"> & { readonly profile: ImportedUser["profile"] | undefined }> {
  const { where } = record;
  const who = nameOf(record);
  const out = (problem: string) => ({
    record,
    profile: undefined,
    metadata: [],
    hash: undefined,
    lines: [{ mark: "problem" as const, where, text: `${who} is left out: ${problem}` }],
  });
  const checked = check(record);
  if (checked.profile === undefined) return out(checked.problems.join("; "));
  const { profile, metadata } = checked;
  const formerId = seen.note("id", record.oldId, where);
  if (formerId !== undefined) return out(`${formerId} has the same id`);
  const formerName = seen.note("username", foldName(profile.username), where);
  if (formerName !== undefined) return out(`${formerName} has the same username`);
  const lines: ReportLine[] = [
    ...record.remarks.map(({ mark, text }) => ({ mark, where, text: `${who} ${text}` })),
    ...checked.notes.map((text) => ({ mark: "note" as const, where, text: `${who} ${text}` })),
    ...checked.problems.map((text) => ({ mark: "problem" as const, where, text: `${who} ${text}` })),
  ];
  const formerEmail =
    profile.email === "" ? undefined : seen.note("email", profile.email.toLowerCase(), where);
  if (formerEmail !== undefined)
    lines.push({
      mark: "note",
      where,
      text: `${who} has the email address of ${formerEmail}, so neither can log in with the address`,
    });
  const hash =
    record.passwordHash === undefined ? undefined : await hashes.read(record.passwordHash.reveal());
  if (hash?.kind === "refused")
    lines.push({ mark: "problem", where, text: `${who} comes without a password: ${hash.why}` });
  return { record, profile, metadata, hash, lines };
}

/** Finds what the records refer to and, if users are added, hashes again what must not be stored as it is. */
async function complete(
  { references, isApplied, seen }: UsersInput,
  database: Database,
  checked: readonly Checked[],
): Promise<readonly ImportedUser[]> {
  const resolved = await database.read(async (tx) => {
    const each: (Resolved & { readonly keys: readonly ImportedSecurityKey[] })[] = [];
    for (const { record } of checked) {
      const keys: ImportedSecurityKey[] = [];
      for (const key of record.securityKeys ?? [])
        if (!(await isCredentialTaken(tx, key.credential.credentialId))) keys.push(key);
      each.push({ ...(await references.resolve(tx, record)), keys });
    }
    return each;
  });
  return await Promise.all(
    checked.map(async ({ record, profile, metadata, hash, lines }, index) => {
      const { groupIds = [], grants = [], links = [], problems = [], keys = [] } = resolved[index] ?? {};
      const { where } = record;
      const isFirst = (link: Resolved["links"][number]) =>
        seen.note(`link ${link.providerId}`, link.externalUserId, where) === undefined;
      const own = links.filter(isFirst);
      if (own.length < links.length)
        lines.push({
          mark: "problem",
          where,
          text: `${nameOf(record)} comes without a link, whose identity is that of another record, too`,
        });
      const securityKeys = keys.filter(
        ({ credential }) => seen.note("credential", credential.credentialId, where) === undefined,
      );
      if (securityKeys.length < (record.securityKeys ?? []).length)
        lines.push({
          mark: "problem",
          where,
          text: `${nameOf(record)} comes without a security key that another user or record has, too`,
        });
      lines.push(
        ...problems.map((text) => ({ mark: "problem" as const, where, text: `${nameOf(record)} ${text}` })),
      );
      const passwordHash = await toStored(hash, isApplied);
      const { oldId, state, totpSecret } = record;
      return {
        oldId,
        profile,
        state,
        totpSecret,
        groupIds,
        grants,
        links: own,
        securityKeys,
        metadata,
        passwordHash,
        isEmailVerified: record.isEmailVerified && profile.email !== "",
        isPhoneVerified: record.isPhoneVerified && profile.phone !== "",
        isPasswordChangeRequired: record.isPasswordChangeRequired && passwordHash !== undefined,
      };
    }),
  );
}

async function toStored(hash: ReadHash | undefined, isApplied: boolean): Promise<string | undefined> {
  if (hash?.kind === "stored") return hash.text;
  if (hash?.kind === "fast") return isApplied ? await hash.wrap() : "";
  return undefined;
}

async function decide(
  { context, target, isApplied }: UsersInput,
  database: Database,
  users: readonly ImportedUser[],
): Promise<readonly Fate[]> {
  if (users.length === 0) return [];
  if (!isApplied) return await database.read((tx: ReadTransaction) => findFates(tx, target, users));
  const options = { mayTakeLong: true };
  return await database.write((tx) => importUsers(context, tx, { target, users }), options);
}

/** The file has the names: what a command prints may be kept. */
function nameOf({ oldId }: UserRecord): string {
  return `user ${quote(oldId)}`;
}

function toLines({ record, hash }: Checked, fate: Fate): readonly ReportLine[] {
  const { where } = record;
  const who = nameOf(record);
  const out = (why: string) => [{ mark: "problem" as const, where, text: `${who} is left out: ${why}` }];
  switch (fate.kind) {
    case "new": {
      const has = [
        ...(hash === undefined || hash.kind === "refused" ? [] : ["a password"]),
        ...(record.totpSecret === undefined ? [] : ["an authenticator app"]),
        ...((record.securityKeys ?? []).length === 0 ? [] : ["security keys"]),
      ];
      return [
        { mark: "add", where, text: `new ${who}${has.length > 0 ? ` with ${has.join(" and ")}` : ""}` },
      ];
    }
    case "present":
      return [{ mark: "present", where, text: `${who} is there from an earlier import, as ${fate.id}` }];
    case "removed":
      return [{ mark: "present", where, text: `${who} came with an earlier import and was removed since` }];
    case "elsewhere":
      return out("an earlier import has added them to another organization");
    case "username-taken":
      return out("another user has the username");
    case "id-taken":
      return out("a user has or had that id as imported id or as id");
  }
}

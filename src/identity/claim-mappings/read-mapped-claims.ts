import { earliest, type Instant } from "../../kernel/base/clock.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../kernel/base/ids.ts";
import type { HeldRoles } from "../../kernel/base/permission.ts";
import { listGroupsOfUser } from "../groups/repository.ts";
import { readRolesInForce } from "../held-roles/repository.ts";
import { readMetadata } from "../metadata/repository.ts";
import { fullNameOf, type User } from "../people/user/user.ts";
import { findUserById } from "../people/user/repository.ts";
import { listRolesInEffect } from "../user-grants/effective-role-repository.ts";
import {
  type ClaimMapping,
  type ClaimTarget,
  isOfMetadata,
  type PlacedClaimMapping,
  type MappedField,
  scopeOfField,
  type StoredClaimMapping,
} from "./claim-mapping.ts";
import { type ClaimValue, toClaimValue, toUtf8Text } from "./claim-value.ts";
import { isNeedOfMappingMet } from "./source-permission.ts";
import { listKeysInReach } from "./sharing-repository.ts";

/** Which claims of mappings are read. */
export interface AskedMappings {
  /** Those that may be told: asked for, and confirmed where somebody had to. */
  readonly mappings: readonly PlacedClaimMapping[];
  readonly userId: string;
  readonly projectId: string;
  /** The organization that owns the project. */
  readonly ownerId: string;
  /** Only these roles are told; empty = all. */
  readonly roleKeys: readonly string[];
}

/** The claims of mappings. */
export interface MappedClaims {
  readonly claims: Readonly<Record<string, ClaimValue>>;
  /** Those for which there was no room. */
  readonly leftOut: readonly PlacedClaimMapping[];
  /** When the first right in it ends; undefined: never. */
  readonly endDate: Instant | undefined;
}

/** The claims of all mappings together have at most so many bytes of JSON. */
const maxMappedBytes = 4096;

/** What is told of a user without mappings. */
export const nothingMapped: MappedClaims = { claims: {}, leftOut: [], endDate: undefined };

/** Chooses the mappings that a place tells with these scopes. Assertions know no scopes: a mapping that is for them is told always. */
export function chooseMappings<Mapping extends ClaimMapping>(
  mappings: readonly Mapping[],
  target: ClaimTarget,
  hasScope: (scope: string) => boolean,
): readonly Mapping[] {
  const isAskedFor = ({ scope, profileField }: Mapping) =>
    (scope === "" || hasScope(scope)) && (profileField === undefined || hasScope(scopeOfField[profileField]));
  return mappings.filter(
    (mapping) => mapping.targets.includes(target) && (target === "SAML" || isAskedFor(mapping)),
  );
}

/** Makes the claims of mappings, as they are at this instant. A claim without a value, or whose author may not read the source, is absent. */
export async function readMappedClaims(tx: ReadTransaction, asked: AskedMappings): Promise<MappedClaims> {
  if (asked.mappings.length === 0) return nothingMapped;
  const user = await findUserById(tx, asked.userId);
  if (user === undefined) return nothingMapped;
  const mappings = await keepAuthorized(tx, asked.mappings, asked.ownerId);
  const { valueOf, endDate } = await readSources(tx, { ...asked, mappings, user });
  const told = new Map<string, ClaimValue>();
  const leftOut: PlacedClaimMapping[] = [];
  let bytes = 2; // of the braces
  for (const mapping of mappings) {
    const value = valueOf(mapping);
    if (value === undefined) continue;
    const size = Buffer.byteLength(JSON.stringify({ [mapping.name]: value })) - 1; // a comma in place of the braces
    if (bytes + size > maxMappedBytes) leftOut.push(mapping);
    else {
      told.set(mapping.name, value);
      bytes += size;
    }
  }
  return { claims: Object.fromEntries(told), leftOut, endDate };
}

/** Leaves out mappings of metadata whose author does not hold the permission for them any more. */
export async function keepAuthorized<Mapping extends StoredClaimMapping>(
  tx: ReadTransaction,
  mappings: readonly Mapping[],
  ownerId: string,
): Promise<readonly Mapping[]> {
  const authors = new Map<string, readonly HeldRoles[]>();
  for (const mapping of mappings.filter(isOfMetadata))
    if (!authors.has(mapping.authorId))
      authors.set(mapping.authorId, (await readRolesInForce(tx, mapping.authorId)).held);
  return mappings.filter((mapping) =>
    isNeedOfMappingMet(mapping, authors.get(mapping.authorId) ?? [], toId<OrganizationId>(ownerId)),
  );
}

interface Sources {
  readonly valueOf: (mapping: ClaimMapping) => ClaimValue | undefined;
  readonly endDate: Instant | undefined;
}

async function readSources(
  tx: ReadTransaction,
  { mappings, user, projectId, ownerId, roleKeys }: AskedMappings & { readonly user: User },
): Promise<Sources> {
  const has = (source: ClaimMapping["source"]) => mappings.some((mapping) => mapping.source === source);
  const keysOf = (source: ClaimMapping["source"]) => [
    ...new Set(mappings.flatMap((mapping) => (mapping.source === source ? [mapping.key] : []))),
  ];
  const homeId = user.details.resourceOwner;
  const ofUser = await listKeysInReach(tx, keysOf("USER_METADATA"), { homeId, ownerId });
  const metadata = {
    USER_METADATA: await readTexts(tx, user.id, ofUser),
    ORGANIZATION_METADATA: await readTexts(tx, ownerId, keysOf("ORGANIZATION_METADATA")),
  };
  const roles = has("ROLES") ? await listRolesInEffect(tx, user.id, [projectId]) : [];
  const keys = roles.flatMap((role) => role.roleKeys);
  const groups = has("GROUPS") ? await listGroupsOfUser(tx, user.id, ownerId) : [];
  const lists = {
    ROLES: toSorted(roleKeys.length === 0 ? keys : keys.filter((key) => roleKeys.includes(key))),
    GROUPS: toSorted(groups.map(({ name }) => name)),
  };
  return {
    endDate: earliest([...roles, ...groups].map(({ endDate }) => endDate)),
    valueOf({ source, type, key, profileField, constant }) {
      switch (source) {
        case "USER_METADATA":
        case "ORGANIZATION_METADATA":
          return toClaimValue(type, metadata[source].get(key) ?? "");
        case "PROFILE_FIELD":
          return profileField && toClaimValue(type, toFieldText(user, profileField));
        case "ROLES":
        case "GROUPS":
          return lists[source].length === 0 ? undefined : lists[source];
        case "CONSTANT":
          return toClaimValue(type, constant);
      }
    },
  };
}

async function readTexts(
  tx: ReadTransaction,
  id: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map();
  const read = await readMetadata(tx, { id }, keys);
  return new Map(read.map(({ key, value }) => [key, toUtf8Text(value) ?? ""]));
}

function toSorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

/** An address that nobody has proved is told of nobody: the name of the claim does not say that it is unverified. */
function toFieldText(user: User, field: MappedField): string {
  const isHuman = user.kind === "human";
  switch (field) {
    case "USERNAME":
      return user.username;
    case "GIVEN_NAME":
      return isHuman ? user.givenName : "";
    case "FAMILY_NAME":
      return isHuman ? user.familyName : "";
    case "FULL_NAME":
      return isHuman ? fullNameOf(user) : user.name;
    case "PREFERRED_LANGUAGE":
      return isHuman ? user.preferredLanguage : "";
    case "EMAIL":
      return isHuman && user.isEmailVerified ? user.email : "";
    case "PHONE":
      return isHuman && user.isPhoneVerified ? user.phone : "";
  }
}

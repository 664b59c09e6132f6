import type { FieldViolation } from "../../kernel/base/problem.ts";
import type { ClaimMappingPayload } from "../../kernel/events/authorization-payloads.ts";
import { type ClaimType, toClaimValue } from "./claim-value.ts";
import { isReservedClaim } from "./reserved-claims.ts";

/** Where the value of a claim comes from; names of the values of the enum ClaimSource. */
export type ClaimSource =
  | "USER_METADATA"
  | "ORGANIZATION_METADATA"
  | "PROFILE_FIELD"
  | "GROUPS"
  | "ROLES"
  | "CONSTANT";

/** A field of a user. */
export type MappedField =
  | "USERNAME"
  | "GIVEN_NAME"
  | "FAMILY_NAME"
  | "FULL_NAME"
  | "PREFERRED_LANGUAGE"
  | "EMAIL"
  | "PHONE";

/** The places where claims are told, in the order of the enum ClaimTarget. */
export const claimTargets = ["ID_TOKEN", "ACCESS_TOKEN", "USERINFO", "INTROSPECTION", "SAML"] as const;

/** Where a claim is told. */
export type ClaimTarget = (typeof claimTargets)[number];

/** A claim of one's own. */
export interface ClaimMapping {
  readonly name: string;
  readonly source: ClaimSource;
  /** Of metadata; else empty. */
  readonly key: string;
  /** Undefined for every other source. */
  readonly profileField: MappedField | undefined;
  /** Empty for every other source. */
  readonly constant: string;
  readonly type: ClaimType;
  readonly targets: readonly ClaimTarget[];
  /** Empty: told always. */
  readonly scope: string;
}

/** A mapping that an object has. */
export interface StoredClaimMapping extends ClaimMapping {
  /** The user who set it and answers for it; empty unless the source is metadata. */
  readonly authorId: string;
  /** When it was left out for the first time, in microseconds since 1970; undefined: it was not. */
  readonly leftOutMicros: number | undefined;
}

/** A mapping of an application, or of its project. */
export interface PlacedClaimMapping extends StoredClaimMapping {
  readonly of: ClaimMappingKind;
}

/** What has mappings. */
export type ClaimMappingKind = "project" | "application";

/** The scope without which a field of the user is not told. */
export const scopeOfField: Readonly<Record<MappedField, "profile" | "email" | "phone">> = {
  USERNAME: "profile",
  GIVEN_NAME: "profile",
  FAMILY_NAME: "profile",
  FULL_NAME: "profile",
  PREFERRED_LANGUAGE: "profile",
  EMAIL: "email",
  PHONE: "phone",
};

/** Returns the mappings that hold for an application: those of the project, but where the application has one of the name itself. */
export function joinMappings(
  ofProject: readonly StoredClaimMapping[],
  ofApplication: readonly StoredClaimMapping[],
): readonly PlacedClaimMapping[] {
  const own = new Set(ofApplication.map(({ name }) => name.toLowerCase()));
  return [
    ...ofProject.filter(({ name }) => !own.has(name.toLowerCase())).map(placedAt("project")),
    ...ofApplication.map(placedAt("application")),
  ];
}

function placedAt(of: ClaimMappingKind) {
  return (mapping: StoredClaimMapping): PlacedClaimMapping => ({ ...mapping, of });
}

/** Lists the scopes that mappings are asked for by, each once. */
export function listClaimScopes(mappings: readonly ClaimMapping[]): readonly string[] {
  return [...new Set(mappings.map(({ scope }) => scope).filter((scope) => scope !== ""))];
}

/** Says whether the source is metadata, which the author of a mapping must be allowed to read. */
export function isOfMetadata({ source }: Pick<ClaimMapping, "source">): boolean {
  return source === "USER_METADATA" || source === "ORGANIZATION_METADATA";
}

const namePattern = /^[\x21-\x7e]+$/;
/** RFC 6749 §3.3. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]*$/;

/** Finds what is wrong with a list of mappings. */
export function checkMappings(mappings: readonly ClaimMapping[]): readonly FieldViolation[] {
  const names = new Set<string>();
  return mappings.flatMap((mapping, index) => {
    const name = mapping.name.toLowerCase();
    const isNew = !names.has(name);
    names.add(name);
    const faults = [
      ...checkMapping(mapping),
      ...(isNew ? [] : [["name", "must not be named twice"] as const]),
    ];
    return faults.map(([field, description]) => ({ field: `mappings[${index}].${field}`, description }));
  });
}

type Fault = readonly [field: string, description: string];

function checkMapping(mapping: ClaimMapping): readonly Fault[] {
  const { name, source, key, profileField, constant, type, scope } = mapping;
  const isList = source === "GROUPS" || source === "ROLES";
  return [
    ...when(!namePattern.test(name), "name", "must be printable ASCII characters without spaces"),
    ...when(isReservedClaim(name), "name", "is reserved"),
    ...when(
      isOfMetadata(mapping) !== (key !== ""),
      "key",
      "must be set if the source is metadata, and only then",
    ),
    ...when(
      (source === "PROFILE_FIELD") !== (profileField !== undefined),
      "profile_field",
      "must be set if the source is a profile field, and only then",
    ),
    ...when(
      (source === "CONSTANT") !== (constant !== ""),
      "constant",
      "must be set if the source is a constant, and only then",
    ),
    ...when(
      constant !== "" && toClaimValue(type, constant) === undefined,
      "constant",
      "must have the form that type asks for",
    ),
    ...when(isList && type !== "LIST", "type", "must be a list for groups and roles"),
    ...when(
      !scopePattern.test(scope) || /^urn:(?:zitadel|gatehouse):/i.test(scope),
      "scope",
      "must be a scope of RFC 6749 that does not begin with urn:zitadel: or urn:gatehouse:",
    ),
  ];
}

function when(isWrong: boolean, field: string, description: string): readonly Fault[] {
  return isWrong ? [[field, description]] : [];
}

/**
 * Decides which mappings take the place of the stored ones. Those that are the same keep their author and their mark; `authorId` answers
 * for all others.
 */
export function replaceMappings(
  stored: readonly StoredClaimMapping[],
  wanted: readonly ClaimMapping[],
  authorId: string,
): { readonly next: readonly StoredClaimMapping[]; readonly changed: readonly ClaimMapping[] } {
  const known = new Map(stored.map((mapping) => [toText(mapping), mapping]));
  const next = wanted.map(
    (mapping) =>
      known.get(toText(mapping)) ?? {
        ...mapping,
        authorId: isOfMetadata(mapping) ? authorId : "",
        leftOutMicros: undefined,
      },
  );
  return { next, changed: wanted.filter((mapping) => !known.has(toText(mapping))) };
}

/** Says whether both lists are the same, in the same order. */
export function areSameMappings(
  stored: readonly StoredClaimMapping[],
  next: readonly StoredClaimMapping[],
): boolean {
  return JSON.stringify(stored.map(toMappingPayload)) === JSON.stringify(next.map(toMappingPayload));
}

function toText(mapping: ClaimMapping): string {
  const { author_id: _author, ...payload } = toMappingPayload({
    ...mapping,
    authorId: "",
    leftOutMicros: undefined,
  });
  return JSON.stringify(payload);
}

/** Converts a mapping to its record. */
export function toMappingPayload(mapping: StoredClaimMapping): ClaimMappingPayload {
  return {
    name: mapping.name,
    source: mapping.source,
    key: mapping.key,
    profile_field: mapping.profileField ?? "",
    constant: mapping.constant,
    type: mapping.type,
    targets: claimTargets.filter((target) => mapping.targets.includes(target)),
    scope: mapping.scope,
    author_id: mapping.authorId,
  };
}

/** Reads a record, with the date of its mark. */
export function fromMappingPayload(
  payload: ClaimMappingPayload & { readonly left_out_date?: number },
): StoredClaimMapping {
  return {
    name: payload.name,
    source: payload.source as ClaimSource, // written above
    key: payload.key,
    profileField: (payload.profile_field || undefined) as MappedField | undefined, // likewise
    constant: payload.constant,
    type: payload.type as ClaimType, // likewise
    targets: claimTargets.filter((target) => payload.targets.includes(target)),
    scope: payload.scope,
    authorId: payload.author_id,
    leftOutMicros: payload.left_out_date,
  };
}

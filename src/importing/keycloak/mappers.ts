import {
  checkMappings,
  type ClaimMapping,
  type ClaimTarget,
} from "../../identity/claim-mappings/claim-mapping.ts";
import type { ClaimType } from "../../identity/claim-mappings/claim-value.ts";
import { isReservedClaim } from "../../identity/claim-mappings/reserved-claims.ts";
import { flagIn, objectIn, objectsIn, textIn, textsIn } from "../json-fields.ts";
import type { JsonFields } from "../json-members.ts";
import { quote } from "../report.ts";

/** Client scopes that every realm has. What they tell by default, standard scopes tell here. */
const builtInScopes: ReadonlySet<string> = new Set([
  "acr",
  "address",
  "basic",
  "email",
  "microprofile-jwt",
  "offline_access",
  "organization",
  "phone",
  "profile",
  "role_list",
  "roles",
  "saml_organization",
  "service_account",
  "web-origins",
]);

/** What mappers become, and what is said about those that become nothing: texts after the name of the client. */
export interface ReadMappers {
  readonly claims: readonly ClaimMapping[];
  readonly notes: readonly string[];
}

/** A mapper, and where it stands. */
interface Placed {
  readonly mapper: JsonFields;
  /** The scope that a request must name; empty: it holds always. */
  readonly scope: string;
  readonly isBuiltIn: boolean;
  /** How a note names it. */
  readonly what: string;
}

/** Reads the mappers of a client, and those of the client scopes that it has (ClientScopeRepresentation). */
export function readMappers(client: JsonFields, scopes: readonly JsonFields[]): ReadMappers {
  const notes: string[] = [];
  const claims: ClaimMapping[] = [];
  for (const placed of listPlaced(client, scopes, notes)) {
    const found = toClaim(placed);
    if (typeof found === "string") {
      if (!placed.isBuiltIn) notes.push(`comes without ${placed.what}: ${found}`);
      continue;
    }
    if (found.targets.length === 0) {
      notes.push(`comes without ${placed.what}: it tells nothing`);
      continue;
    }
    const faults = checkMappings([found]).map(
      ({ field, description }) => `${field.split(".").at(-1)} ${description}`,
    );
    const isThere = claims.some(({ name }) => name.toLowerCase() === found.name.toLowerCase());
    if (isThere) faults.push("another mapper tells the same claim");
    if (faults.length === 0) claims.push(found);
    else if (!placed.isBuiltIn || !isReservedClaim(found.name))
      notes.push(`comes without ${placed.what}: ${faults.join("; ")}`);
  }
  return { claims, notes };
}

function listPlaced(client: JsonFields, scopes: readonly JsonFields[], notes: string[]): readonly Placed[] {
  const named = (list: string, isOptional: boolean) =>
    textsIn(client, list).flatMap((name) => {
      const found = scopes.find((scope) => textIn(scope, "name") === name);
      const mappers = found === undefined ? [] : objectsIn(found, "protocolMappers");
      const isBuiltIn = builtInScopes.has(name);
      if (mappers.length === 0 && !isBuiltIn)
        notes.push(`comes without the client scope ${quote(name)}, which tells nothing`);
      return mappers.map((mapper) => ({
        mapper,
        scope: isOptional ? name : "",
        isBuiltIn,
        what: `the mapper ${quote(textIn(mapper, "name"))} of the client scope ${quote(name)}`,
      }));
    });
  return [
    ...objectsIn(client, "protocolMappers").map((mapper) => ({
      mapper,
      scope: "",
      isBuiltIn: false,
      what: `its mapper ${quote(textIn(mapper, "name"))}`,
    })),
    ...named("defaultClientScopes", false),
    ...named("optionalClientScopes", true),
  ];
}

/** Attributes of people that become something else here than metadata. */
const profileAttributes: ReadonlySet<string> = new Set(["phoneNumber", "phoneNumberVerified", "locale"]);

/** Returns the claim that says the same, or why there is none. */
function toClaim({ mapper, scope }: Placed): ClaimMapping | string {
  const config = objectIn(mapper, "config");
  const kind = textIn(mapper, "protocolMapper");
  const empty = { key: "", profileField: undefined, constant: "", scope } as const;
  const attribute = textIn(config, "user.attribute");
  if (/(?<!\\)\./.test(textIn(config, "claim.name"))) return "its claim is in an object";
  switch (kind) {
    case "oidc-usermodel-attribute-mapper": {
      if (profileAttributes.has(attribute)) return `${quote(attribute)} is a field of the user here`;
      if (flagIn(config, "aggregate.attrs")) return "attributes of groups do not come along";
      const type = flagIn(config, "multivalued") ? "LIST" : typeIn(config);
      return { ...empty, ...placeIn(config), source: "USER_METADATA", key: attribute, type };
    }
    case "oidc-hardcoded-claim-mapper": {
      const constant = textIn(config, "claim.value");
      return { ...empty, ...placeIn(config), source: "CONSTANT", constant, type: typeIn(config) };
    }
    case "saml-user-attribute-mapper": {
      if (profileAttributes.has(attribute)) return `${quote(attribute)} is a field of the user here`;
      const name = textIn(config, "attribute.name");
      return { ...empty, name, targets: ["SAML"], source: "USER_METADATA", key: attribute, type: "LIST" };
    }
    case "saml-hardcode-attribute-mapper": {
      const name = textIn(config, "attribute.name");
      const constant = textIn(config, "attribute.value");
      return { ...empty, name, targets: ["SAML"], source: "CONSTANT", constant, type: "STRING" };
    }
    default:
      return kind === "" ? "its kind is not known" : `nothing here is just like the kind ${quote(kind)}`;
  }
}

const types: Readonly<Record<string, ClaimType>> = {
  long: "NUMBER",
  int: "NUMBER",
  boolean: "BOOLEAN",
  JSON: "JSON",
};

function typeIn(config: JsonFields): ClaimType {
  return types[textIn(config, "jsonType.label")] ?? "STRING";
}

function placeIn(config: JsonFields): Pick<ClaimMapping, "name" | "targets"> {
  const name = textIn(config, "claim.name").replaceAll("\\.", "."); // a dot without it is one of a nested object
  const isToldIn = (target: string) => flagIn(config, `${target}.token.claim`);
  const introspects = config["introspection.token.claim"] === undefined ? "access" : "introspection";
  const targets: readonly (readonly [string, ClaimTarget])[] = [
    ["id", "ID_TOKEN"],
    ["access", "ACCESS_TOKEN"],
    ["userinfo", "USERINFO"],
    [introspects, "INTROSPECTION"],
  ];
  return { name, targets: targets.filter(([told]) => isToldIn(told)).map(([, target]) => target) };
}

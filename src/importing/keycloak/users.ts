import { Secret } from "../../kernel/base/secret.ts";
import type { JsonFields } from "../json-members.ts";
import type { LinkRecord, Remark, RoleRef, UserRecord } from "../records.ts";
import { fromBase32 } from "../base32.ts";
import { toMetadataItems } from "../metadata.ts";
import { quote } from "../report.ts";
import { objectIn, objectsIn, parseFields, textIn, textsIn, flagIn } from "../json-fields.ts";
import { readSecurityKeys } from "./security-keys.ts";
import type { RealmDirectories } from "./providers.ts";
import { keysOf, type RealmRoles } from "./roles.ts";

type Remarks = Pick<Remark, "mark" | "text">[];

/** Makes the record of a user of a realm (UserRepresentation). Undefined for the user of a client. */
export function toRealmUser(
  where: string,
  user: JsonFields,
  {
    roles,
    directories,
    rpId,
  }: {
    readonly roles: RealmRoles;
    readonly directories: Pick<RealmDirectories, "identityOf">;
    readonly rpId: string | undefined;
  },
): UserRecord | undefined {
  if (textIn(user, "serviceAccountClientId") !== "") return undefined;
  const remarks: Remarks = [];
  const credentials = objectsIn(user, "credentials");
  const password = credentials.find((each) => textIn(each, "type") === "password");
  const attributes = objectIn(user, "attributes");
  const [phone = "", locale = ""] = ["phoneNumber", "locale"].map(
    (name) => textsIn(attributes, name)[0] ?? "",
  );
  const { keys, refused } =
    rpId === undefined ? { keys: [], refused: 0 } : readSecurityKeys(credentials, rpId);
  if (refused > 0)
    remarks.push({
      mark: "problem",
      text: `comes without ${refused} security keys that cannot be used here`,
    });
  const identity = directories.identityOf(user);
  remarks.push(...listLeftOut(user, { rpId, isLinked: identity !== undefined }));
  return {
    kind: "user",
    where,
    oldId: textIn(user, "id"),
    username: textIn(user, "username"),
    givenName: textIn(user, "firstName"),
    familyName: textIn(user, "lastName"),
    displayName: "",
    preferredLanguage: locale,
    email: textIn(user, "email"),
    phone,
    isEmailVerified: flagIn(user, "emailVerified"),
    isPhoneVerified: textsIn(attributes, "phoneNumberVerified")[0] === "true",
    state: user["enabled"] === false ? "INACTIVE" : "ACTIVE",
    passwordHash: password && new Secret(JSON.stringify(password)),
    isPasswordChangeRequired: textsIn(user, "requiredActions").includes("UPDATE_PASSWORD"),
    totpSecret: readTotp(credentials, remarks),
    securityKeys: keys,
    groups: textsIn(user, "groups"),
    roles: rolesOfHolder(user, roles, remarks),
    links: linksOf(user, identity),
    metadata: toMetadataItems(metadataIn(attributes)),
    remarks,
  };
}

/** Returns the roles of a holder, with those that are in them. Names those of Keycloak itself among the remarks. */
export function rolesOfHolder(holder: JsonFields, roles: RealmRoles, remarks: Remarks): readonly RoleRef[] {
  const keys = new Set<string>();
  for (const key of keysOf(holder)) {
    const found = roles.expand(key);
    for (const each of found ?? []) keys.add(each);
    if (found === undefined && !isOfEverybody(key))
      remarks.push({
        mark: "note",
        text: `comes without the role ${quote(key)}, which is one of Keycloak itself`,
      });
  }
  return keys.size === 0 ? [] : [{ project: realmProject, roleKeys: [...keys] }];
}

/** The old id of the project that has the roles and the clients of a realm. */
export const realmProject = "realm";

function isOfEverybody(key: string): boolean {
  return /^(?:default-roles-.*|offline_access|uma_authorization|account:(?:view-profile|manage-account))$/.test(
    key,
  );
}

/** Finds the first authenticator app that can come along. */
function readTotp(credentials: readonly JsonFields[], remarks: Remarks): Uint8Array | undefined {
  const secrets: Uint8Array[] = [];
  for (const credential of credentials.filter((each) => textIn(each, "type") === "otp")) {
    const data = parseFields(textIn(credential, "credentialData"));
    const value = textIn(parseFields(textIn(credential, "secretData")), "value");
    const algorithm = textIn(data, "algorithm");
    const isUsual =
      textIn(data, "subType") === "totp" &&
      (data["digits"] ?? 6) === 6 &&
      (data["period"] ?? 30) === 30 &&
      ["", "HmacSHA1"].includes(algorithm);
    // The bytes of the text are the key, unless it says otherwise.
    const secret =
      textIn(data, "secretEncoding") === "BASE32" ? fromBase32(value) : new Uint8Array(Buffer.from(value));
    if (!isUsual)
      remarks.push({
        mark: "note",
        text: "comes without a one-time code app that is not TOTP with SHA-1, 6 digits and 30 s",
      });
    else if (secret === undefined || secret.length < minKeyBytes || secret.length > maxKeyBytes)
      remarks.push({
        mark: "problem",
        text: "comes without an authenticator app, whose key is too short or too long",
      });
    else secrets.push(secret);
  }
  if (secrets.length > 1)
    remarks.push({ mark: "note", text: `comes with the first of ${secrets.length} authenticator apps` });
  return secrets[0];
}

const minKeyBytes = 10;
const maxKeyBytes = 128;

function linksOf(
  user: JsonFields,
  identity: ReturnType<RealmDirectories["identityOf"]>,
): readonly LinkRecord[] {
  const links = objectsIn(user, "federatedIdentities").map(toLink);
  if (identity === undefined) return links;
  const { provider, subject: externalUserId } = identity;
  return [...links, { provider, externalUserId, externalUsername: textIn(user, "username") }];
}

function toLink(link: JsonFields): LinkRecord {
  return {
    provider: textIn(link, "identityProvider"),
    externalUserId: textIn(link, "userId"),
    externalUsername: textIn(link, "userName"),
  };
}

const knownAttributes: ReadonlySet<string> = new Set(["phoneNumber", "phoneNumberVerified", "locale"]);

/** An attribute with one value is that, and one with several is their list. */
function metadataIn(attributes: JsonFields): JsonFields {
  const others = Object.keys(attributes).filter((name) => !knownAttributes.has(name));
  return Object.fromEntries(
    others.map((name) => {
      const values = textsIn(attributes, name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** Credentials and actions that become nothing here. */
function listLeftOut(
  user: JsonFields,
  { rpId, isLinked }: { readonly rpId: string | undefined; readonly isLinked: boolean },
): Remarks {
  const types = objectsIn(user, "credentials")
    .map((each) => textIn(each, "type"))
    .filter((type) => type !== "password" && type !== "otp" && (type !== "webauthn" || rpId === undefined));
  const actions = textsIn(user, "requiredActions").filter((action) => action !== "UPDATE_PASSWORD");
  const without = [
    ...new Set(
      types.map((type) =>
        type === "webauthn" ? "a security key, which --rp-id brings" : `a credential ${quote(type)}`,
      ),
    ),
    ...(actions.length > 0 ? [`the required actions ${actions.map(quote).join(", ")}`] : []),
    ...(textIn(user, "federationLink") === "" || isLinked
      ? []
      : ["the link to a user federation, which may have the password"]),
  ];
  return without.length === 0 ? [] : [{ mark: "note", text: `comes without ${without.join("; ")}` }];
}

import { Secret } from "../../kernel/base/secret.ts";
import { fromBase32 } from "../base32.ts";
import { flagIn, objectIn, textIn } from "../json-fields.ts";
import type { JsonFields } from "../json-members.ts";
import type { LinkRecord, RoleRef, UserRecord } from "../records.ts";

/** What an export says of users elsewhere, by their ids. */
export interface OfUsers {
  readonly roles: ReadonlyMap<string, readonly RoleRef[]>;
  readonly links: ReadonlyMap<string, readonly LinkRecord[]>;
  /** In base64. */
  readonly metadata: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Makes the record of a human user (DataHumanUser). */
export function toZitadelUser(where: string, fields: JsonFields, about: OfUsers): UserRecord {
  const oldId = textIn(fields, "userId");
  const user = objectIn(fields, "user");
  const [profile, email, phone] = [
    objectIn(user, "profile"),
    objectIn(user, "email"),
    objectIn(user, "phone"),
  ];
  const hash = textIn(objectIn(user, "hashedPassword"), "value");
  const otp = textIn(user, "otpCode");
  const totpSecret = otp === "" ? undefined : fromBase32(otp);
  return {
    kind: "user",
    where,
    oldId,
    username: textIn(user, "userName"),
    givenName: textIn(profile, "firstName"),
    familyName: textIn(profile, "lastName"),
    displayName: textIn(profile, "displayName"),
    preferredLanguage: textIn(profile, "preferredLanguage"),
    email: textIn(email, "email"),
    phone: textIn(phone, "phone"),
    isEmailVerified: flagIn(email, "isEmailVerified"),
    isPhoneVerified: flagIn(phone, "isPhoneVerified"),
    state: "ACTIVE",
    passwordHash: hash === "" ? undefined : new Secret(hash),
    isPasswordChangeRequired: flagIn(user, "passwordChangeRequired"),
    totpSecret,
    groups: [],
    roles: about.roles.get(oldId) ?? [],
    links: about.links.get(oldId) ?? [],
    metadata: Object.entries(about.metadata.get(oldId) ?? {}).map(([key, value]) => ({
      key,
      value: Buffer.from(value, "base64"),
    })),
    remarks: [
      ...(otp !== "" && totpSecret === undefined
        ? [
            {
              mark: "problem" as const,
              text: "comes without its authenticator app, whose key cannot be read",
            },
          ]
        : []),
      ...(hash === "" && textIn(user, "password") !== ""
        ? [{ mark: "note" as const, text: "comes without its password, of which the export has no hash" }]
        : []),
    ],
  };
}

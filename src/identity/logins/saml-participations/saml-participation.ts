import { hash } from "node:crypto";
import type { ApplicationId, OrganizationId, SessionId, UserId } from "../../../kernel/base/ids.ts";
import type { Keyring, Sealed } from "../../../kernel/base/keyring.ts";
import type { SamlNameIdFormat } from "../../applications/saml/saml-settings.ts";

/** The name of a user at a service provider (SAML Core §2.2.3). */
export interface SamlNameId {
  readonly format: SamlNameIdFormat;
  readonly value: string;
  readonly nameQualifier?: string | undefined;
  readonly spNameQualifier?: string | undefined;
}

/**
 * That an application has taken part in a session: it got an assertion with this name of the user. An application that got several names
 * has a participation for each.
 */
export interface SamlParticipation {
  readonly sessionId: SessionId;
  readonly applicationId: ApplicationId;
  readonly userId: UserId;
  readonly nameIdFormat: SamlNameIdFormat;
  /** `hashNameId` of the value of the NameID. */
  readonly nameIdHash: string;
  /** The NameID, to be opened by `openNameId`: it is sent only to the application again, when the session ends. */
  readonly sealedNameId: Sealed;
  /** Names the session to the application (SAML Core §2.7.2). It stays the same for later assertions, whatever their names. */
  readonly sessionIndex: string;
  /** When the application got its last assertion with this name, in milliseconds since 1970. */
  readonly authenticationDateMs: number;
  /** The end of the session at the latest. The participation is kept until then, even if the session ends before. */
  readonly expirationMs: number;
}

/** The parts of a participation that its name is opened with. */
export type StoredName = Pick<
  SamlParticipation,
  "sessionId" | "applicationId" | "nameIdHash" | "sealedNameId"
>;

/** A participation that is stored, with the organizations that it is removed with. */
export interface NewSamlParticipation extends SamlParticipation {
  readonly userOrganizationId: OrganizationId;
  readonly applicationOrganizationId: OrganizationId;
}

/**
 * How many names of each format are remembered of a user at an application in one session: 106 in all. The application may end the
 * session by any of them (SAML Core §3.7.1). A further name replaces the one of its format that was given longest ago. That
 * happens only when users or owners change a name: a foreign page can make a browser fetch any number of transient names, but
 * `mustRepeatName` lets none be given that is not remembered.
 */
export const maxNamesOfFormat: Readonly<Record<SamlNameIdFormat, number>> = {
  PERSISTENT: 2,
  TRANSIENT: 100,
  EMAIL_ADDRESS: 2,
  USERNAME: 2,
};

/** Says whether an application that got so many names of the format in a session gets the last of them again. */
export function mustRepeatName(format: SamlNameIdFormat, count: number): boolean {
  return format === "TRANSIENT" && count >= maxNamesOfFormat[format];
}

/**
 * Returns the transient name that an application got last in place of a new one. Undefined: nobody can read it any more, so that the new
 * name is to be given. A name that is repeated tells the application no more than the SessionIndex does, which is the same for the whole
 * session (SAML Core §8.3.8).
 */
export function repeatName(
  keyring: Pick<Keyring, "decrypt" | "keyIds">,
  last: SamlParticipation,
  next: SamlNameId,
): SamlNameId | undefined {
  const value = openNameId(keyring, last)?.value;
  return value === undefined ? undefined : { ...next, value };
}

/** Makes a participation: hashes and encrypts the NameID. */
export function createParticipation(
  keyring: Pick<Keyring, "encrypt">,
  {
    nameId,
    ...about
  }: Omit<NewSamlParticipation, "nameIdFormat" | "nameIdHash" | "sealedNameId"> & {
    readonly nameId: SamlNameId;
  },
): NewSamlParticipation {
  const plain = new TextEncoder().encode(JSON.stringify(nameId));
  const nameIdHash = hashNameId(nameId.value);
  return {
    ...about,
    nameIdFormat: nameId.format,
    nameIdHash,
    sealedNameId: keyring.encrypt("saml-participation", plain, toContext({ ...about, nameIdHash })),
  };
}

/** Decrypts the NameID. Undefined when its master key is gone. */
export function openNameId(
  keyring: Pick<Keyring, "decrypt" | "keyIds">,
  participation: SamlParticipation,
): SamlNameId | undefined {
  const { sealedNameId } = participation;
  if (!keyring.keyIds.includes(sealedNameId.keyId)) return undefined;
  const plain = keyring.decrypt("saml-participation", sealedNameId, toContext(participation));
  return JSON.parse(new TextDecoder().decode(plain)) as SamlNameId; // written above
}

/**
 * Encrypts the NameID again with the master key that encrypts. Undefined: it already is, or nobody can open it, because its key is gone
 * or its bytes were changed.
 */
export function resealNameId(
  keyring: Pick<Keyring, "decrypt" | "encrypt" | "sealingKeyId">,
  participation: StoredName,
): Sealed | undefined {
  const { sealedNameId } = participation;
  if (sealedNameId.keyId === keyring.sealingKeyId) return undefined;
  const context = toContext(participation);
  try {
    const plain = keyring.decrypt("saml-participation", sealedNameId, context);
    return keyring.encrypt("saml-participation", plain, context);
  } catch {
    return undefined; // it expires with its session, and must not keep all others under an old key until then
  }
}

/** Returns the SHA-256 of the value of a NameID, in base64url. */
export function hashNameId(value: string): string {
  return hash("sha256", value, "base64url");
}

function toContext({ sessionId, applicationId, nameIdHash }: Omit<StoredName, "sealedNameId">): string {
  return `saml-participation:${sessionId}:${applicationId}:${nameIdHash}`;
}

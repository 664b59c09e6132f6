import { createHmac } from "node:crypto";
import type { Random } from "../../../kernel/base/random.ts";
import type { ServiceProvider } from "../../../identity/applications/saml/service-provider.ts";
import {
  nameIdFormatUris,
  type SamlNameIdFormat,
  type SamlSettings,
} from "../../../identity/applications/saml/saml-settings.ts";
import type { SamlNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";
import type { HumanUser } from "../../../identity/people/user/user.ts";
import { toBase32 } from "../../../identity/factors/totp/time-code.ts";
import { isXmlText } from "../../../kernel/xml/scan.ts";
import type { NameIdPolicy } from "./authn-request.ts";
import type { StatedNameId } from "./name-id.ts";
import { SamlRefusal } from "./status.ts";
import { newMessageId } from "./write-head.ts";

/** What decides how a service provider learns the identity of the user. */
export interface NameIdWish {
  /** Undefined: the request has none, or there is no request. */
  readonly policy: NameIdPolicy | undefined;
  readonly settings: Pick<SamlSettings, "nameIdFormat">;
  readonly serviceProvider: Pick<ServiceProvider, "entityId" | "nameIdFormats">;
}

/** The user to name, and the parties. */
export interface Naming {
  readonly user: Pick<HumanUser, "id" | "username" | "email" | "isEmailVerified">;
  /** The entity id of the service provider. */
  readonly audience: string;
  /** Our entity id. */
  readonly issuer: string;
  /** The secret `saml-pairwise` of the installation. */
  readonly pairwiseSecret: Uint8Array;
}

/**
 * Decides the format: the setting of the application; else that of the request; else the first one of the metadata that we have;
 * else persistent (SAML Core §3.4.1.1, §8.3). Raises a SamlRefusal InvalidNameIDPolicy when the request wants another one, or a
 * name that is made for somebody else.
 */
export function chooseNameIdFormat({ policy, settings, serviceProvider }: NameIdWish): SamlNameIdFormat {
  const qualifier = policy?.spNameQualifier;
  if (qualifier !== undefined && qualifier !== serviceProvider.entityId)
    throw new SamlRefusal("InvalidNameIDPolicy");
  if (settings.nameIdFormat !== undefined) return settings.nameIdFormat;
  const asked = policy?.format;
  if (asked !== undefined && asked !== nameIdFormatUris.USERNAME) {
    const format = toAskedFormat(asked);
    if (format === undefined) throw new SamlRefusal("InvalidNameIDPolicy");
    return format;
  }
  return serviceProvider.nameIdFormats.map(toAskedFormat).find((each) => each !== undefined) ?? "PERSISTENT";
}

/**
 * Makes the name of a user in a format. A persistent one is always the same for the same user and service provider; a transient one
 * is new each time. Raises a SamlRefusal InvalidNameIDPolicy when the user has no such name: no verified email, or a text that XML
 * cannot hold.
 */
export function makeNameId(
  format: SamlNameIdFormat,
  naming: Naming & { readonly random: Random },
): SamlNameId {
  // SAML Core §8.3.8: as unique as the ID of a message.
  if (format === "TRANSIENT") return { format, value: newMessageId(naming.random), ...toQualifiers(naming) };
  const nameId = findNameId(format, naming);
  if (nameId === undefined) throw new SamlRefusal("InvalidNameIDPolicy");
  return nameId;
}

/**
 * Says whether a name that a service provider sends names the user there (SAML Core §3.3.4). Without format, or with the format
 * unspecified, any of its names will do. Transient names are not known here: they are recorded with participations.
 */
export function isNameOf(stated: StatedNameId, naming: Naming): boolean {
  const { format, nameQualifier = naming.issuer, spNameQualifier = naming.audience } = stated;
  if (nameQualifier !== naming.issuer || spNameQualifier !== naming.audience) return false;
  return (["PERSISTENT", "EMAIL_ADDRESS", "USERNAME"] as const)
    .filter((each) => isOpen(format) || nameIdFormatUris[each] === format)
    .some((each) => findNameId(each, naming)?.value === stated.value);
}

/** The formats that a request or the metadata may ask for: usernames only if the owner of the application says so. */
function toAskedFormat(uri: string): SamlNameIdFormat | undefined {
  return (["PERSISTENT", "TRANSIENT", "EMAIL_ADDRESS"] as const).find(
    (format) => nameIdFormatUris[format] === uri,
  );
}

function findNameId(format: Exclude<SamlNameIdFormat, "TRANSIENT">, naming: Naming): SamlNameId | undefined {
  const { user } = naming;
  switch (format) {
    case "PERSISTENT":
      return { format, value: toPersistent(naming), ...toQualifiers(naming) };
    case "EMAIL_ADDRESS":
      return user.isEmailVerified ? toPlain(format, user.email) : undefined;
    case "USERNAME":
      return toPlain(format, user.username);
  }
}

/** A text that had to be changed for XML could become the name of another user. */
function toPlain(format: SamlNameIdFormat, value: string): SamlNameId | undefined {
  return value === "" || !isXmlText(value) ? undefined : { format, value };
}

/** SAML Core §8.3.7: a name that says nothing about the user, and that two service providers cannot compare. */
function toPersistent({ pairwiseSecret, audience, user }: Naming): string {
  const digest = createHmac("sha256", pairwiseSecret).update(`${audience}\0${user.id}`).digest();
  return toBase32(digest).toLowerCase();
}

function toQualifiers({ issuer, audience }: Naming): Pick<SamlNameId, "nameQualifier" | "spNameQualifier"> {
  return { nameQualifier: issuer, spNameQualifier: audience };
}

/** SAML Core §8.3.1: it leaves the choice to us. */
function isOpen(format: string | undefined): boolean {
  return format === undefined || format === nameIdFormatUris.USERNAME;
}

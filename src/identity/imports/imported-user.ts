import type {
  IdentityLinkId,
  OrganizationId,
  SecondFactorId,
  UserGrantId,
  UserId,
} from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { VerifiedCredential } from "../../kernel/webauthn/credential.ts";
import { u2fKind, verifyU2f } from "../factors/second-factors/u2f.ts";
import { addTotp, verifyTotp } from "../factors/totp/totp.ts";
import { type MetadataItem, setMetadata } from "../metadata/metadata.ts";
import { toNewHuman } from "../people/additions/addition.ts";
import { verifyEmail } from "../people/emails/email.ts";
import { addIdentityLink, type LinkedIdentity } from "../people/identity-links/identity-link.ts";
import { setPassword } from "../people/passwords/password.ts";
import { verifyPhone } from "../people/phones/phone.ts";
import { addHumanUser, changeUserState, type HumanProfile, type UserState } from "../people/user/user.ts";
import type { IdentityProvider } from "../providers/identity-provider.ts";
import { addUserGrant, type GrantSource } from "../user-grants/user-grant.ts";

/** What an object of another system becomes here. */
export type ImportedKind =
  | "user"
  | "project"
  | "group"
  | "application"
  | "identity_provider"
  | "service_user";

/** A person of another system, in the form in which they are added here. Everything is known to fit. */
export interface ImportedUser {
  /** Their id there, which becomes the imported id. */
  readonly oldId: string;
  /** The phone is in E.164. */
  readonly profile: HumanProfile;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
  readonly state: UserState;
  /** As it is stored; undefined: they have no password. */
  readonly passwordHash: string | undefined;
  readonly isPasswordChangeRequired: boolean;
  /** Of an authenticator app with SHA-1, 6 digits and 30 seconds; undefined: they have none. */
  readonly totpSecret: Uint8Array | undefined;
  /** Whose credential ids nobody has. */
  readonly securityKeys: readonly ImportedSecurityKey[];
  /** Groups of the organization. */
  readonly groupIds: readonly string[];
  /** One for a project. */
  readonly grants: readonly ImportedGrant[];
  /** To providers of the organization, whose identities nobody has. */
  readonly links: readonly ImportedLink[];
  /** At most 100 keys, each once. */
  readonly metadata: readonly MetadataItem[];
}

/** A security key that is a second factor: its answers may name the user by the imported id. */
export interface ImportedSecurityKey {
  readonly name: string;
  /** The relying party id that it was registered for. */
  readonly domain: string;
  readonly credential: Omit<VerifiedCredential, "isBackupEligible" | "isBackedUp">;
}

/** An identity at an identity provider. */
export interface ImportedLink extends LinkedIdentity {
  readonly providerId: string;
}

/** Roles of a project. */
export interface ImportedGrant {
  readonly projectId: string;
  readonly roleKeys: readonly string[];
}

/** The ids that a new user needs. */
export interface ImportedUserIds {
  readonly user: UserId;
  readonly totp: SecondFactorId;
  readonly securityKeys: readonly SecondFactorId[];
  readonly grants: readonly UserGrantId[];
  readonly links: readonly IdentityLinkId[];
}

/**
 * Decides to add a person of another system with everything that they had there. Addresses are verified last: nobody gets a mail about
 * what is added before. `sources`: what each of the grants rests on. Raises FIELD_INVALID for names with invisible characters.
 */
export function importUser(
  user: ImportedUser,
  {
    ids,
    organizationId,
    sources,
    providers,
  }: {
    readonly ids: ImportedUserIds;
    readonly organizationId: OrganizationId;
    readonly sources: readonly GrantSource[];
    /** The provider of each of the links. */
    readonly providers: readonly IdentityProvider[];
  },
): readonly NewEvent[] {
  const { profile, oldId: importedId } = user;
  const human = toNewHuman(ids.user, organizationId, { ...profile, importedId });
  const events: NewEvent[] = [addHumanUser(ids.user, organizationId, { ...profile, importedId })];
  if (user.passwordHash !== undefined)
    events.push(
      setPassword(human, {
        isChangeRequired: user.isPasswordChangeRequired,
        origin: { creator: "system", madeWithTokenId: undefined },
      }),
    );
  if (user.totpSecret !== undefined) {
    events.push(...addTotp(human, ids.totp, { former: undefined }));
    events.push(verifyTotp({ id: ids.totp, userId: ids.user, details: human.details }));
  }
  for (const [index, { name, domain, credential }] of user.securityKeys.entries()) {
    const id = ids.securityKeys[index];
    if (id === undefined) throw new Error("every security key needs an id");
    const key = { ...credential, isBackupEligible: false, isBackedUp: false }; // of passkeys alone
    events.push(u2fKind.add(human, id, domain));
    events.push(verifyU2f({ id, userId: ids.user, details: human.details }, key, { name }));
  }
  for (const [index, provider] of providers.entries()) {
    const [id, identity] = [ids.links[index], user.links[index]];
    if (id === undefined || identity === undefined) throw new Error("every link needs an id");
    events.push(addIdentityLink(id, { user: human, provider, identity }));
  }
  const { details } = human;
  events.push(
    ...setMetadata({ kind: "user", id: ids.user, details }, user.metadata, { stored: [], count: 0 }),
  );
  if (user.state === "INACTIVE") events.push(...changeUserState(human, "deactivate"));
  if (user.state === "LOCKED") events.push(...changeUserState(human, "lock"));
  if (user.isEmailVerified) events.push(verifyEmail(human));
  if (user.isPhoneVerified) events.push(verifyPhone(human));
  for (const [index, source] of sources.entries()) {
    const id = ids.grants[index];
    const roleKeys = user.grants[index]?.roleKeys ?? [];
    if (id === undefined) throw new Error("every grant needs an id");
    events.push(addUserGrant({ id, organizationId, userId: ids.user, source, roleKeys, isHeldAtHome: true }));
  }
  return events;
}

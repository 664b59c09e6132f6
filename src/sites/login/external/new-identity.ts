import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { mayComeFrom } from "../../../identity/providers/template.ts";
import type { LoginPolicy } from "../../../identity/policies/login-policy.ts";
import { isProviderOfUser } from "../../../identity/people/identity-links/identity-link.ts";
import { isUsernameTaken } from "../../../identity/people/user/login-name-repository.ts";
import { findOnlyActiveUserByEmail } from "../../../identity/people/user/repository.ts";
import type { TypedProfile } from "../forms/profile.ts";
import type { LoginState } from "../login-state.ts";
import { findLoginUser } from "../login-users.ts";
import { PageRefusal } from "../page-refusal.ts";
import { isPasskeyOffered } from "../passkey-offer.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { readClaimedProfile } from "./identity-profile.ts";
import { findOfferedProvider } from "./offered-providers.ts";

/** The choices of a person with an identity that is linked to nobody. With neither, they have no account here and get none. */
export interface NewIdentityChoices {
  /** Whether they may log in to an account that they have here, and link the identity to it. */
  readonly mayLink: boolean;
  /** Whether that login comes first: there is a user with the same verified email. */
  readonly hasMatch: boolean;
  /** Whether an account may be made. */
  readonly mayCreate: boolean;
  /** The profile of a new account, from the provider. Fields that it does not contain are empty, and the page asks for them. */
  readonly profile: TypedProfile;
  /** Whether somebody has the username that the provider says, so that another one is asked for. */
  readonly isUsernameTaken: boolean;
}

/**
 * Decides what somebody may do whose identity is linked to nobody. An email only says which choice comes first, and with NEVER not
 * even that: a user may link the identity by what they prove. A taken username says nothing. Where only a certain user may log in,
 * nobody gets an account: it would be another one.
 */
export function decideNewIdentity(found: {
  readonly identity: ExternalIdentity;
  readonly provider: Pick<IdentityProvider, "autoRegister" | "config">;
  readonly policy: Pick<LoginPolicy, "linkByVerifiedEmail">;
  /** The only ACTIVE user of the organization with the verified email address of the identity. */
  readonly match: UserId | undefined;
  /** Whether any user that the identity can be linked to may log in here. */
  readonly isLoginOffered: boolean;
  readonly isUsernameTaken: boolean;
  /** The only user who may log in; undefined: any. */
  readonly subject: string | undefined;
}): NewIdentityChoices {
  const { identity, provider, policy, match, isLoginOffered, subject } = found;
  const isOther = subject !== undefined && match !== subject;
  const profile = readClaimedProfile(identity.claims, provider);
  return {
    mayLink: isLoginOffered,
    hasMatch:
      isLoginOffered &&
      policy.linkByVerifiedEmail === "ASK" &&
      identity.claims.emailVerified &&
      match !== undefined &&
      !isOther,
    mayCreate: provider.autoRegister && subject === undefined,
    profile: found.isUsernameTaken ? { ...profile, username: "" } : profile,
    isUsernameTaken: found.isUsernameTaken,
  };
}

/** Says whether an account is made without a question: nothing is missing, and nobody with the same email is to be asked first. */
export function isCreatedAtOnce({ hasMatch, mayCreate, profile }: NewIdentityChoices): boolean {
  return mayCreate && !hasMatch && isComplete(profile);
}

/** Says whether nothing of it has to be asked for. */
export function isComplete(profile: TypedProfile): boolean {
  return Object.values(profile).every((value) => value !== "");
}

/** An identity that is linked to nobody. */
export interface NewIdentity {
  readonly provider: IdentityProvider;
  readonly choices: NewIdentityChoices;
}

/** Reads what somebody may do whose identity is linked to nobody. */
export async function readNewIdentity(
  tx: ReadTransaction,
  state: LoginState,
  identity: ExternalIdentity,
): Promise<NewIdentity> {
  const provider = await requireOffered(tx, state, identity);
  const match = await findMatch(tx, provider, identity);
  const { username } = readClaimedProfile(identity.claims, provider);
  const isTaken = username !== "" && (await isUsernameTaken(tx, username));
  const { policy, interaction } = state;
  const { subject } = interaction.request;
  const isLoginOffered = await canSomebodyLink(tx, state, provider);
  const found = { identity, provider, policy, match, isLoginOffered, isUsernameTaken: isTaken, subject };
  return { provider, choices: decideNewIdentity(found) };
}

/**
 * Returns the provider of an identity. Raises the refusal of one that is not offered any more, or that has got another issuer or other
 * tenants since the identity was checked.
 */
export async function requireOffered(
  tx: ReadTransaction,
  state: LoginState,
  { providerId, issuer, subject }: Pick<ExternalIdentity, "providerId" | "issuer" | "subject">,
): Promise<IdentityProvider> {
  const provider = await findOfferedProvider(tx, state, providerId);
  if (provider?.config.issuer !== issuer) throw new PageRefusal("provider-off");
  const { config } = provider;
  if (config.kind === "template" && !mayComeFrom(config, subject)) throw new PageRefusal("provider-off");
  return provider;
}

/** Says whether any user that an identity of the provider can be linked to may log in here, by a password or a passkey. */
async function canSomebodyLink(
  tx: ReadTransaction,
  state: LoginState,
  provider: IdentityProvider,
): Promise<boolean> {
  if (!state.policy.allowPassword && !isPasskeyOffered(state)) return false;
  const { subject } = state.interaction.request;
  if (subject === undefined) return true;
  const found = await findLoginUser(tx, toId<UserId>(subject));
  return found !== undefined && isProviderOfUser(provider, found.user);
}

async function findMatch(
  tx: ReadTransaction,
  provider: IdentityProvider,
  { claims }: ExternalIdentity,
): Promise<UserId | undefined> {
  const { email = "", emailVerified } = claims;
  if (!emailVerified || email === "") return undefined;
  const organizationId = toId<OrganizationId>(provider.details.resourceOwner);
  return await findOnlyActiveUserByEmail(tx, organizationId, email);
}

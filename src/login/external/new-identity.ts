import type { ReadTransaction } from "../../base/database.ts";
import { type OrganizationId, toId, type UserId } from "../../base/ids.ts";
import type { IdentityProvider } from "../../features/identity-providers/identity-provider.ts";
import type { LoginPolicy } from "../../features/login-policies/login-policy.ts";
import { findOnlyActiveUserByEmail, isUsernameTaken } from "../../features/users/user/repository.ts";
import type { TypedProfile } from "../forms/profile.ts";
import type { LoginState } from "../login-state.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { ExternalIdentity } from "./external-identity.ts";
import { readClaimedProfile } from "./identity-profile.ts";
import { findOfferedProvider } from "./offered-providers.ts";

/** What somebody whose identity is linked to nobody may do. With neither, they have no account here and get none. */
export interface NewIdentityChoices {
  /** Whether the login of the user with the same verified e-mail is offered. It comes first. */
  readonly mayLink: boolean;
  /** Whether an account may be made. */
  readonly mayCreate: boolean;
  /** What the provider says of a new account. What it does not say is empty, and asked for. */
  readonly profile: TypedProfile;
  /** Whether somebody has the username that the provider says, so that another one is asked for. */
  readonly isUsernameTaken: boolean;
}

/**
 * Decides what somebody may do whose identity is linked to nobody. A taken username never leads to a link. Where only a certain user may
 * log in, nobody gets an account: it would be another one.
 */
export function decideNewIdentity(found: {
  readonly identity: ExternalIdentity;
  readonly provider: Pick<IdentityProvider, "autoRegister" | "config">;
  readonly policy: Pick<LoginPolicy, "linkByVerifiedEmail">;
  /** The only ACTIVE user of the organization whose verified e-mail is that of the identity. */
  readonly match: UserId | undefined;
  readonly isUsernameTaken: boolean;
  /** The only user who may log in; undefined: any. */
  readonly subject: string | undefined;
}): NewIdentityChoices {
  const { identity, provider, policy, match, subject } = found;
  const isOther = subject !== undefined && match !== subject;
  const profile = readClaimedProfile(identity.claims, provider);
  return {
    mayLink:
      policy.linkByVerifiedEmail === "ASK" &&
      identity.claims.emailVerified &&
      match !== undefined &&
      !isOther,
    mayCreate: provider.autoRegister && subject === undefined,
    profile: found.isUsernameTaken ? { ...profile, username: "" } : profile,
    isUsernameTaken: found.isUsernameTaken,
  };
}

/** Says whether an account is made without a question: nothing is missing, and there is nothing else to choose. */
export function isCreatedAtOnce({ mayLink, mayCreate, profile }: NewIdentityChoices): boolean {
  return mayCreate && !mayLink && isComplete(profile);
}

/** Says whether nothing of it has to be asked for. */
export function isComplete(profile: TypedProfile): boolean {
  return Object.values(profile).every((value) => value !== "");
}

/** An identity that is linked to nobody. */
export interface NewIdentity {
  readonly provider: IdentityProvider;
  readonly choices: NewIdentityChoices;
  /** The user whose login may be offered. */
  readonly match: UserId | undefined;
}

/** Reads what somebody may do whose identity is linked to nobody, and the user whose login is offered. */
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
  const choices = decideNewIdentity({ identity, provider, policy, match, isUsernameTaken: isTaken, subject });
  return { provider, choices, match };
}

/**
 * Returns the provider of an identity. Raises the refusal of one that is not offered any more, or that has got another issuer since
 * the identity was checked.
 */
export async function requireOffered(
  tx: ReadTransaction,
  state: LoginState,
  { providerId, issuer }: Pick<ExternalIdentity, "providerId" | "issuer">,
): Promise<IdentityProvider> {
  const provider = await findOfferedProvider(tx, state, providerId);
  if (provider?.config.issuer !== issuer) throw new PageRefusal("provider-off");
  return provider;
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

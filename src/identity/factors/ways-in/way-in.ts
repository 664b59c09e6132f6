import { Problem } from "../../../kernel/base/problem.ts";
import {
  type LoginNameKind,
  loginNameKinds,
  type LoginPolicy,
  type StrongFactorKind,
  strongFactorKinds,
} from "../../policies/login-policy.ts";

/** What decides whether somebody can sign in on the login pages. */
export interface SignInFacts {
  /** The policy that holds for the user. */
  readonly policy: Pick<
    LoginPolicy,
    | "allowPassword"
    | "allowExternalIdps"
    | "allowPasskeys"
    | "forceMfa"
    | "forceMfaLocalOnly"
    | "secondFactors"
    | "loginNames"
  >;
  /** Whether the user has a password, or a verified address to which a code for a new one can be mailed. */
  readonly hasPassword: boolean;
  /** What the user may type, wherever they sign in, to say who they are; of whichever policy. */
  readonly names: readonly LoginNameKind[];
  /** Whether the user has a passkey for these pages about which nothing is to be decided. */
  readonly hasPasskey: boolean;
  /** Whether the user has a link about which nothing is to be decided, to an identity provider that their organization offers. */
  readonly hasProvider: boolean;
  /** The kinds of second factors that the user has, of whichever policy; keys only for these pages. */
  readonly factors: readonly StrongFactorKind[];
  /** Whether these pages have a relying party, without which nobody can register or use a security key. */
  readonly hasRelyingParty: boolean;
  /** Whether a login at a provider needs a factor of the user besides, as for users with a role on the instance. */
  readonly needsOwnFactor: boolean;
}

/**
 * How somebody can sign in: in a way of their `own`, only at an identity `provider` of their organization, or in no way. A provider
 * is less, because an owner of the organization can switch it off.
 */
export type Standing = "own" | "provider" | "none";

const order: readonly Standing[] = ["none", "provider", "own"];

/** Decides how somebody can sign in. */
export function findStanding(facts: SignInFacts): Standing {
  const { policy } = facts;
  if (policy.allowPasskeys && facts.hasPasskey) return "own";
  const isForced = policy.forceMfa || policy.forceMfaLocalOnly;
  const isPasswordEnough = hasFactor(facts) || !isForced || canRegisterFactor(facts);
  const hasName = facts.names.some((kind) => policy.loginNames.includes(kind));
  if (policy.allowPassword && facts.hasPassword && hasName && isPasswordEnough) return "own";
  if (!policy.allowExternalIdps || !facts.hasProvider) return "none";
  if (hasFactor(facts)) return "provider";
  if (facts.needsOwnFactor) return "none";
  return policy.forceMfa && !canRegisterFactor(facts) ? "none" : "provider";
}

/**
 * Returns the policy of the instance that a new administrator needs to sign in with only a password: the same one, or else the same
 * with passwords and usernames, and with second factors that anybody can register. The operator who makes a setup link may do anything here, and
 * would otherwise end with an administrator who cannot sign in.
 */
export function openPolicy<Policy extends LoginPolicy>(policy: Policy, hasRelyingParty: boolean): Policy {
  const isOpen = (changed: Policy) =>
    findStanding({ ...onlyPassword, policy: changed, hasRelyingParty }) === "own";
  if (isOpen(policy)) return policy;
  const loginNames = policy.loginNames.includes("USERNAME") ? policy.loginNames : loginNameKinds;
  const withPasswords = { ...policy, allowPassword: true, loginNames };
  return isOpen(withPasswords) ? withPasswords : { ...withPasswords, secondFactors: strongFactorKinds };
}

const onlyPassword = {
  names: ["USERNAME"],
  hasPassword: true,
  hasPasskey: false,
  hasProvider: false,
  factors: [],
  needsOwnFactor: true,
} as const;

/** Says whether somebody can sign in less well than before. */
export function isWorse(before: Standing, after: Standing): boolean {
  return order.indexOf(after) < order.indexOf(before);
}

/** A user that a change leaves with fewer ways to sign in. */
export interface LockedOut {
  readonly userId: string;
  readonly after: Standing;
}

/** At most so many people are named. */
const maxNamed = 20;

/** Returns the problem of a change that takes the last way to sign in from people. They are named to callers that may read them. */
export function locksOut(people: readonly LockedOut[], isReader: boolean): Problem {
  const ids = people.slice(0, maxNamed).map(({ userId }) => userId);
  return new Problem({
    kind: "precondition",
    reason: "LOCKS_OUT",
    message:
      "somebody who holds a role on the instance could not sign in any more, or only at an identity provider of their organization; give them another way first, or repeat the call with force",
    ...(isReader ? { metadata: { people: String(people.length), user_ids: ids.join(",") } } : {}),
  });
}

function hasFactor({ policy, factors }: SignInFacts): boolean {
  return factors.some((kind) => policy.secondFactors.includes(kind));
}

function canRegisterFactor({ policy, hasRelyingParty }: SignInFacts): boolean {
  return strongFactorKinds.some(
    (kind) => policy.secondFactors.includes(kind) && (kind !== "U2F" || hasRelyingParty),
  );
}

import type { Details } from "../../kernel/base/details.ts";
import type { LoginPolicyId } from "../../kernel/base/ids.ts";
import { type FieldViolation, notFound, type Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { LoginPolicyPayload } from "../../kernel/events/payloads.ts";

/** The kinds of second factors that anybody can register. They count where a policy names none. */
export const strongFactorKinds = ["U2F", "TOTP"] as const;
/** One of them. */
export type StrongFactorKind = (typeof strongFactorKinds)[number];
/** The kinds of second factors that are codes which are sent to the user. They count only where a policy names them. */
export const codeFactorKinds = ["EMAIL_CODE", "SMS_CODE"] as const;
/** One of them. */
export type CodeFactorKind = (typeof codeFactorKinds)[number];
/** The kinds of second factors that a policy may name. */
export const secondFactorKinds = [...strongFactorKinds, ...codeFactorKinds] as const;
/** One of them. */
export type SecondFactorKind = (typeof secondFactorKinds)[number];

/** What users may type to say who they are, in the order in which a name is looked up. */
export const loginNameKinds = ["USERNAME", "EMAIL", "PHONE"] as const;
/** One of them. */
export type LoginNameKind = (typeof loginNameKinds)[number];

/** Whether somebody whose verified email at a provider belongs to a user is offered that login first; the first is the default. */
export const idpLinkings = ["ASK", "NEVER"] as const;
/** One of them. */
export type IdpLinking = (typeof idpLinkings)[number];

/** How the users of an organization log in. */
export interface LoginPolicy {
  readonly allowPassword: boolean;
  /** Whether identity providers of the organization may be used. */
  readonly allowExternalIdps: boolean;
  readonly allowPasskeys: boolean;
  /** Whether people may register themselves. */
  readonly allowRegistration: boolean;
  /** Whether everybody needs two factors. */
  readonly forceMfa: boolean;
  /** Whether logins without an identity provider need two factors. */
  readonly forceMfaLocalOnly: boolean;
  readonly minPasswordLength: number;
  /** After so many wrong passwords in a row the user is locked; 0 = never, only pauses grow. */
  readonly maxPasswordAttempts: number;
  /** A session ends when it is not used for so long. */
  readonly sessionIdleSeconds: number;
  /** A session ends after so long however it is used. */
  readonly sessionLifetimeSeconds: number;
  /** What counts as a second factor. Never empty. */
  readonly secondFactors: readonly SecondFactorKind[];
  readonly linkByVerifiedEmail: IdpLinking;
  /** Whether users get a mail when something that they sign in with is added, changed or removed. */
  readonly notifySecurityChanges: boolean;
  /** What users may type to say who they are. Never empty. */
  readonly loginNames: readonly LoginNameKind[];
}

/** What users can prove first when they sign in. */
export type FirstFactor = "PASSWORD" | "PASSKEY" | "IDP";

/** Lists the first factors that each of the policies allows. */
export function listFirstFactors(policies: readonly LoginPolicy[]): readonly FirstFactor[] {
  const allowed: Readonly<Record<FirstFactor, (policy: LoginPolicy) => boolean>> = {
    PASSWORD: ({ allowPassword }) => allowPassword,
    PASSKEY: ({ allowPasskeys }) => allowPasskeys,
    IDP: ({ allowExternalIdps }) => allowExternalIdps,
  };
  return (["PASSWORD", "PASSKEY", "IDP"] as const).filter((factor) => policies.every(allowed[factor]));
}

/** A policy, and where it stands in the log. */
export interface StoredLoginPolicy extends LoginPolicy {
  readonly id: LoginPolicyId;
  /** The resource owner is the organization, or the instance for the default. */
  readonly details: Details;
}

/** The policy that is in force where nobody has set one. */
export const defaultSettings: LoginPolicy = {
  allowPassword: true,
  allowExternalIdps: true,
  allowPasskeys: true,
  allowRegistration: false,
  forceMfa: false,
  forceMfaLocalOnly: false,
  minPasswordLength: 10,
  maxPasswordAttempts: 0,
  sessionIdleSeconds: 43_200,
  sessionLifetimeSeconds: 864_000,
  secondFactors: strongFactorKinds,
  linkByVerifiedEmail: "ASK",
  notifySecurityChanges: true,
  loginNames: loginNameKinds,
};

/** What a caller asks for. Zero means the number that is in force where nobody has set one; no names mean all of them, no kinds the strong ones. */
export type LoginPolicyUpdate = LoginPolicy;

/** Returns a violation for a policy by which nobody could log in. */
export function checkLoginPolicy(
  policy: Pick<LoginPolicy, "allowPassword" | "allowExternalIdps" | "allowPasskeys">,
): readonly FieldViolation[] {
  if (policy.allowPassword || policy.allowExternalIdps || policy.allowPasskeys) return [];
  const description =
    "must be true where allow_external_idps and allow_passkeys are not: nobody could log in";
  return [{ field: "allow_password", description }];
}

/** Says whether people may register themselves. They choose a password, so it takes a policy that allows passwords. */
export function letsPeopleRegister(
  policy: Pick<LoginPolicy, "allowRegistration" | "allowPassword">,
): boolean {
  return policy.allowRegistration && policy.allowPassword;
}

/** Puts the defaults where a caller asks for none. */
export function toSettings(update: LoginPolicyUpdate): LoginPolicy {
  const kinds = secondFactorKinds.filter((kind) => update.secondFactors.includes(kind));
  const names = loginNameKinds.filter((kind) => update.loginNames.includes(kind));
  return {
    ...update,
    minPasswordLength: update.minPasswordLength || defaultSettings.minPasswordLength,
    sessionIdleSeconds: update.sessionIdleSeconds || defaultSettings.sessionIdleSeconds,
    sessionLifetimeSeconds: update.sessionLifetimeSeconds || defaultSettings.sessionLifetimeSeconds,
    secondFactors: kinds.length === 0 ? strongFactorKinds : kinds,
    loginNames: names.length === 0 ? loginNameKinds : names,
  };
}

/** Decides to set the first policy of an organization, or of the instance. */
export function addLoginPolicy(policy: {
  readonly id: LoginPolicyId;
  readonly resourceOwner: string;
  readonly settings: LoginPolicy;
}): NewEvent {
  return {
    type: "login_policy.added",
    aggregateId: policy.id,
    resourceOwner: policy.resourceOwner,
    payload: toPayload(policy.settings),
  };
}

/** Decides to replace the settings; no events when they are the same. */
export function changeLoginPolicy(policy: StoredLoginPolicy, settings: LoginPolicy): readonly NewEvent[] {
  const payload = toPayload(settings);
  if (JSON.stringify(payload) === JSON.stringify(toPayload(policy))) return [];
  return [{ ...aggregateOf(policy), type: "login_policy.changed", payload }];
}

/** Decides to remove the policy, so that the default is in force. */
export function removeLoginPolicy(policy: StoredLoginPolicy): NewEvent {
  return { ...aggregateOf(policy), type: "login_policy.removed", payload: {} };
}

/** Returns the problem of an organization without a policy of its own. */
export function loginPolicyNotFound(organizationId: string): Problem {
  return notFound("login_policy", organizationId);
}

function aggregateOf({ id, details }: StoredLoginPolicy) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

function toPayload(settings: LoginPolicy): LoginPolicyPayload {
  return {
    allow_password: settings.allowPassword,
    allow_external_idps: settings.allowExternalIdps,
    allow_passkeys: settings.allowPasskeys,
    allow_registration: settings.allowRegistration,
    force_mfa: settings.forceMfa,
    force_mfa_local_only: settings.forceMfaLocalOnly,
    min_password_length: settings.minPasswordLength,
    max_password_attempts: settings.maxPasswordAttempts,
    session_idle_seconds: settings.sessionIdleSeconds,
    session_lifetime_seconds: settings.sessionLifetimeSeconds,
    second_factors: settings.secondFactors,
    link_by_verified_email: settings.linkByVerifiedEmail,
    notify_security_changes: settings.notifySecurityChanges,
    login_names: settings.loginNames,
  };
}

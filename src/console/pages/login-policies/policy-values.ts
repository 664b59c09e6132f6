import type { FieldBounds } from "../../api/bounds.ts";
import { toEnum } from "../../api/enums.ts";
import {
  IdpLinking,
  LoginNameKind,
  type LoginPolicy,
} from "../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import { SecondFactorType } from "../../../../gen/console/gatehouse/v1/second_factor_pb.ts";
import { toDurationText, toSeconds, toWholeNumber } from "./duration.ts";

/** The ways in which people may sign in. */
export const ways = ["password", "passkeys", "idps"] as const;

/** The users that a policy asks for a second factor. */
export const mfaChoices = ["chosen", "local", "all"] as const;

/** A login policy as fields hold it. Durations are texts such as `12 hours`, enums the texts of their numbers. */
export type PolicyValues = {
  readonly ways: readonly string[];
  readonly loginNames: readonly string[];
  readonly allowRegistration: boolean;
  readonly mfa: string;
  readonly secondFactors: readonly string[];
  readonly minPasswordLength: string;
  readonly maxPasswordAttempts: string;
  readonly sessionIdleSeconds: string;
  readonly sessionLifetimeSeconds: string;
  readonly linkByVerifiedEmail: string;
  readonly notifySecurityChanges: boolean;
};

/** Returns the values of a policy. */
export function toPolicyValues(policy: LoginPolicy): PolicyValues {
  const isAllowed = {
    password: policy.allowPassword,
    passkeys: policy.allowPasskeys,
    idps: policy.allowExternalIdps,
  };
  return {
    ways: ways.filter((way) => isAllowed[way]),
    loginNames: policy.loginNames.map(String),
    allowRegistration: policy.allowRegistration,
    mfa: policy.forceMfa ? "all" : policy.forceMfaLocalOnly ? "local" : "chosen",
    secondFactors: policy.secondFactors.map(String),
    minPasswordLength: String(policy.minPasswordLength),
    maxPasswordAttempts: String(policy.maxPasswordAttempts),
    sessionIdleSeconds: toDurationText(policy.sessionIdleSeconds),
    sessionLifetimeSeconds: toDurationText(policy.sessionLifetimeSeconds),
    linkByVerifiedEmail: String(policy.linkByVerifiedEmail),
    notifySecurityChanges: policy.notifySecurityChanges,
  };
}

/** A login policy as requests have it. */
export type PolicyRequest = Omit<LoginPolicy, "$typeName" | "$unknown" | "details" | "isDefault">;

/** Returns the values as requests have them. Everybody includes users that sign in here, so only one of the two flags is set. */
export function toPolicyRequest(values: PolicyValues): PolicyRequest {
  return {
    allowPassword: values.ways.includes("password"),
    allowPasskeys: values.ways.includes("passkeys"),
    allowExternalIdps: values.ways.includes("idps"),
    loginNames: values.loginNames.map((kind) => toEnum(LoginNameKind, kind)),
    allowRegistration: values.allowRegistration,
    forceMfa: values.mfa === "all",
    forceMfaLocalOnly: values.mfa === "local",
    secondFactors: values.secondFactors.map((type) => toEnum(SecondFactorType, type)),
    minPasswordLength: toWholeNumber(values.minPasswordLength),
    maxPasswordAttempts: toWholeNumber(values.maxPasswordAttempts),
    sessionIdleSeconds: toSeconds(values.sessionIdleSeconds),
    sessionLifetimeSeconds: toSeconds(values.sessionLifetimeSeconds),
    linkByVerifiedEmail: toEnum(IdpLinking, values.linkByVerifiedEmail),
    notifySecurityChanges: values.notifySecurityChanges,
  };
}

/** What is wrong with a field: nothing was chosen, or a number is not between two others. */
export type PolicyFault = "nothing" | { readonly least: number; readonly most: number };

/** Finds what is wrong with the values, by the bounds of the request. */
export function findPolicyFaults(
  values: PolicyValues,
  bounds: Readonly<Record<string, FieldBounds>>,
): Readonly<Partial<Record<keyof PolicyValues, PolicyFault>>> {
  const request = toPolicyRequest(values);
  const numbers = (
    ["minPasswordLength", "maxPasswordAttempts", "sessionIdleSeconds", "sessionLifetimeSeconds"] as const
  ).flatMap((name) => {
    const { minimum = 0, maximum = 0xffff_ffff } = bounds[name] ?? {};
    const isWithin = request[name] >= minimum && request[name] <= maximum;
    return isWithin ? [] : [[name, { least: minimum, most: maximum }] as const];
  });
  const lists = (["ways", "loginNames", "secondFactors"] as const).flatMap((name) =>
    values[name].length === 0 ? [[name, "nothing"] as const] : [],
  );
  return Object.fromEntries<PolicyFault>([...lists, ...numbers]);
}

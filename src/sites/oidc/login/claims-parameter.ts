import type { ClaimsRequest } from "../../../identity/logins/authorizations/claims-request.ts";
import { mfaReference, singleFactorReference } from "../requests/authentication-context.ts";
import { findScopeOfClaim } from "../tokens/claim-names.ts";

/** What the parameter `claims` asks for, as far as we have it (OpenID Connect Core §5.5). */
export interface AskedByClaims {
  /** Undefined: no claim that we have. */
  readonly claims: ClaimsRequest | undefined;
  /** The scopes that these claims count as, each once: on the page that asks the user. */
  readonly scopes: readonly string[];
  /** The ids of the only users who may log in; undefined: any. */
  readonly subjects: readonly string[] | undefined;
  /** Whether two factors are asked for, and whether there is no login without them. */
  readonly mfa: "not" | "asked" | "required";
}

/** What is wrong with the parameter. */
export interface ClaimsFault {
  readonly code: "invalid_request" | "access_denied";
  readonly description: string;
}

const nothing: AskedByClaims = { claims: undefined, scopes: [], subjects: undefined, mfa: "not" };

/**
 * Reads the parameter `claims`, or says what is wrong with it: it is no JSON of the form that §5.5 has, or it requires an `acr` that no
 * login here has, which is a failed authentication (§5.5.1.1). Claims, members and values that we do not know are ignored. Absent: asks
 * for nothing.
 */
export function readClaimsParameter(text: string | undefined): AskedByClaims | ClaimsFault {
  if (text === undefined) return nothing;
  const parameter = parseJson(text);
  if (!isObject(parameter)) return malformed("claims must be a JSON object");
  const [userinfo, idToken] = [readMember(parameter, "userinfo"), readMember(parameter, "id_token")];
  if (userinfo === undefined || idToken === undefined)
    return malformed("userinfo and id_token of claims must be objects whose members are null or objects");
  const acr = readAcr(idToken.get("acr"));
  if ("code" in acr) return acr;
  const names = [...new Set([...userinfo.keys(), ...idToken.keys()])];
  const { mfa, tellsOneFactor } = acr;
  const claims = { userinfo: listKnown(userinfo), idToken: listKnown(idToken), tellsOneFactor };
  const isNeeded = claims.userinfo.length + claims.idToken.length > 0 || tellsOneFactor;
  return {
    claims: isNeeded ? claims : undefined,
    scopes: [...new Set(names.flatMap((name) => findScopeOfClaim(name) ?? []))],
    subjects: readSubjects([userinfo.get("sub"), idToken.get("sub")]),
    mfa,
  };
}

/** How a claim is asked for. */
interface Wish {
  readonly isEssential: boolean;
  /** None: any value will do. */
  readonly values: readonly unknown[];
}

/** Reads the claims of a member. Undefined if it is malformed. */
function readMember(
  parameter: Readonly<Record<string, unknown>>,
  name: string,
): ReadonlyMap<string, Wish> | undefined {
  const member = parameter[name] ?? {};
  if (!isObject(member)) return undefined;
  const wishes = Object.entries(member).map(([claim, value]) => [claim, readWish(value)] as const);
  const good = wishes.flatMap(([claim, wish]) => (wish === undefined ? [] : [[claim, wish] as const]));
  return good.length === wishes.length ? new Map(good) : undefined;
}

/** OpenID Connect Core §5.5.1: null, or an object whose `essential` is a boolean and whose `values` are an array. */
function readWish(wish: unknown): Wish | undefined {
  if (wish === null) return { isEssential: false, values: [] };
  if (!isObject(wish)) return undefined;
  const { essential = false, value, values = [] } = wish;
  if (typeof essential !== "boolean" || !Array.isArray(values)) return undefined;
  const all: readonly unknown[] = values;
  return { isEssential: essential, values: value === undefined ? all : [value] };
}

/** OpenID Connect Core §5.5.1: without the user who is asked for there is no login, essential or not. */
function readSubjects(wishes: readonly (Wish | undefined)[]): readonly string[] | undefined {
  const lists = wishes.flatMap((wish) =>
    wish === undefined || wish.values.length === 0 ? [] : [wish.values],
  );
  const [first, ...others] = lists;
  return first
    ?.filter((id) => typeof id === "string")
    .filter((id) => others.every((list) => list.includes(id)));
}

/** OpenID Connect Core §5.5.1.1. */
function readAcr(
  wish: Wish | undefined,
): (Pick<AskedByClaims, "mfa"> & { tellsOneFactor: boolean }) | ClaimsFault {
  if (wish === undefined || wish.values.length === 0) return { mfa: "not", tellsOneFactor: false };
  const { isEssential, values } = wish;
  const [takesMfa, takesOne] = [values.includes(mfaReference), values.includes(singleFactorReference)];
  if (isEssential && !takesMfa && !takesOne)
    return { code: "access_denied", description: "no login here has an acr that claims requires" };
  const isRequired = isEssential && takesMfa && !takesOne;
  return {
    mfa: isRequired ? "required" : takesMfa ? "asked" : "not",
    tellsOneFactor: isEssential && takesOne && !takesMfa,
  };
}

function listKnown(wishes: ReadonlyMap<string, Wish>): readonly string[] {
  return [...wishes.keys()].filter((claim) => findScopeOfClaim(claim) !== undefined);
}

function malformed(description: string): ClaimsFault {
  return { code: "invalid_request", description };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

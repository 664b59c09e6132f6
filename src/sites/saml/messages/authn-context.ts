import type { RequestedContext } from "./authn-request.ts";
import { SamlRefusal } from "./status.ts";

/** How well a user is authenticated: 0 in any way, 1 with one factor, 2 with two, or with a passkey. */
export type ContextLevel = 0 | 1 | 2;

/** What a request asks of the login: SAML Core §3.3.2.2.1. */
export interface ContextWish {
  /** The least that is enough; with 2, the pages ask for a second factor as the policy force_mfa does. */
  readonly level: ContextLevel;
  /** The most that the assertion may tell. */
  readonly mostLevel: ContextLevel;
  /** The class that the assertion names; undefined: that of the level. */
  readonly exactClass: string | undefined;
  /** Whether there is a wish at all. */
  readonly isAsked: boolean;
}

/** How the user was authenticated. */
export interface ReachedContext {
  readonly level: 1 | 2;
  /** The issuer of the identity provider that the user logged in at; undefined: it was here. */
  readonly authority: string | undefined;
}

/** How the user was authenticated, in the words of an assertion: SAML Core §2.7.2.2. */
export interface ToldContext {
  readonly classUri: string;
  /** AuthenticatingAuthority. */
  readonly authority: string | undefined;
}

/**
 * Decides what a request asks of the login. Raises a SamlRefusal NoAuthnContext when it asks by declarations, for nothing that we know, or
 * for something better than everything that we have.
 */
export function chooseContext(requested: RequestedContext | undefined): ContextWish {
  if (requested === undefined) return { level: 0, mostLevel: 1, exactClass: undefined, isAsked: false };
  const known = requested.classes.flatMap((uri) => {
    const level = levels.get(uri);
    return level === undefined ? [] : [{ uri, level }];
  });
  const [first] = known;
  if (first === undefined) throw new SamlRefusal("NoAuthnContext");
  const [least, most] = [lowest(known), highest(known)];
  const asked = { exactClass: undefined, isAsked: true };
  switch (requested.comparison) {
    case "exact":
      return { ...asked, level: first.level, mostLevel: first.level, exactClass: first.uri };
    case "minimum":
      return { ...asked, level: least, mostLevel: 2 };
    case "better":
      if (most === 2) throw new SamlRefusal("NoAuthnContext");
      return { ...asked, level: most === 1 ? 2 : 1, mostLevel: 2 };
    case "maximum":
      return { ...asked, level: 0, mostLevel: most };
  }
}

/** Decides what the assertion says. Raises a SamlRefusal NoAuthnContext when the login is not as good as was asked. */
export function tellContext(wish: ContextWish, { level, authority }: ReachedContext): ToldContext {
  if (level < wish.level) throw new SamlRefusal("NoAuthnContext");
  if (wish.exactClass !== undefined) return { classUri: wish.exactClass, authority };
  // What somebody else has checked is not said to have been a password, unless that was asked.
  if (!wish.isAsked && authority !== undefined) return { classUri: unspecifiedClass, authority };
  return { classUri: classOfLevel[level < wish.mostLevel ? level : wish.mostLevel], authority };
}

const unspecifiedClass = "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified";
const protectedPasswordClass = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
/** The class of the REFEDS MFA profile §3. */
const mfaClass = "https://refeds.org/profile/mfa";

/** The classes that we know: SAML Authentication Context §3.4, and what others call two factors. */
const levels: ReadonlyMap<string, ContextLevel> = new Map<string, ContextLevel>([
  [unspecifiedClass, 0],
  ["urn:oasis:names:tc:SAML:2.0:ac:classes:Password", 1],
  [protectedPasswordClass, 1],
  [mfaClass, 2],
  ["http://schemas.microsoft.com/claims/multipleauthn", 2],
  ["urn:gatehouse:acr:mfa", 2],
]);

const classOfLevel: Readonly<Record<ContextLevel, string>> = {
  0: unspecifiedClass,
  1: protectedPasswordClass,
  2: mfaClass,
};

function lowest(known: readonly { readonly level: ContextLevel }[]): ContextLevel {
  return known.reduce<ContextLevel>((found, { level }) => (level < found ? level : found), 2);
}

function highest(known: readonly { readonly level: ContextLevel }[]): ContextLevel {
  return known.reduce<ContextLevel>((found, { level }) => (level > found ? level : found), 0);
}

import type {
  ExternalIdentity,
  IdentityClaims,
  SaidOfIdentity,
} from "../../../identity/people/identity-links/external-identity.ts";
import { withoutInvisible } from "../../../kernel/base/names/visible-name.ts";
import type { TokenClaims } from "./signed-token.ts";

/** A longer text is no name and no address, and is left out. */
const maxLength = 500;
/** The end of the year 9999. */
const endSeconds = 253_402_300_800;

/**
 * Makes the identity of checked claims. What the ID token does not say is taken from userinfo, which must be about the same subject.
 * An address and whether it was verified come from the same of the two.
 */
export function toIdentity(
  of: Omit<ExternalIdentity, "claims">,
  idToken: TokenClaims,
  userinfo: TokenClaims = {},
): ExternalIdentity {
  return { said: toSaid({ ...userinfo, ...idToken }), ...of, claims: toClaims(idToken, userinfo) };
}

/** More of what a provider says is left out: it goes with the login, from page to page. */
const maxSaidBytes = 16_384;

/** What is about the token, and not about the person. */
const ofToken = new Set(["nonce", "at_hash", "c_hash", "s_hash", "sid", "jti"]);

/** Returns all claims of a provider for hooks, in their order. A claim for which there is no room is left out. */
export function toSaid(said: TokenClaims): SaidOfIdentity {
  let room = maxSaidBytes;
  const all = Object.entries(said).filter(([name, value]) => !ofToken.has(name) && value !== undefined);
  const claims = all.filter((claim) => {
    const bytes = Buffer.byteLength(JSON.stringify(claim));
    if (bytes > room) return false;
    room -= bytes;
    return true;
  });
  return { claims: Object.fromEntries(claims), isCut: claims.length < all.length };
}

/**
 * Reads a time of a claim (RFC 7519 §2, NumericDate); providers exist that write the number as a text. Undefined for anything else, and
 * for times that no date can hold.
 */
export function toTimeMs(value: unknown): number | undefined {
  const seconds = typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && seconds >= 0 && seconds < endSeconds
    ? Math.floor(seconds * 1000)
    : undefined;
}

function toClaims(idToken: TokenClaims, userinfo: TokenClaims): IdentityClaims {
  const read = (name: string) => textOf(idToken[name]) ?? textOf(userinfo[name]);
  // Not of an address: another one must not become that of a user here.
  const readName = (name: string) => nameOf(idToken[name]) ?? nameOf(userinfo[name]);
  const ofEmail = textOf(idToken["email"]) === undefined ? userinfo : idToken;
  return {
    preferredUsername: readName("preferred_username"),
    email: read("email"),
    emailVerified: ofEmail["email_verified"] === true,
    name: readName("name"),
    givenName: readName("given_name"),
    familyName: readName("family_name"),
    locale: read("locale"),
  };
}

/** People here get no names with invisible characters, so a provider that sends such a name loses them. */
function nameOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : textOf(withoutInvisible(text));
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > maxLength || !value.isWellFormed()) return undefined;
  const text = value.trim();
  return text === "" || /\p{Cc}/u.test(text) ? undefined : text;
}

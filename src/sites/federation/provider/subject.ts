/** OpenID Connect Core §2. */
const maxCharacters = 255;

/**
 * Says whether a claim can name an identity: a text of 1 to 255 characters with no control characters, not white space alone. One
 * that storage would change, such as one half of a surrogate pair, could become the name of another identity.
 */
export function isSubject(value: unknown): value is string {
  if (typeof value !== "string" || !value.isWellFormed() || /\p{Cc}/u.test(value)) return false;
  return value.trim() !== "" && Array.from(value).length <= maxCharacters;
}

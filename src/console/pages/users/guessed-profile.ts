/** What a form for a new person can fill in by itself. */
export interface GuessedProfile {
  readonly username: string;
  readonly givenName: string;
  readonly familyName: string;
}

/**
 * Guesses a profile from an email address, which the form shows and people can change: the address is the username, and
 * `ada.lovelace@example.com` is Ada Lovelace. An address with one name has that of its domain for the family. Empty until there is
 * something on both sides of the `@`.
 */
export function guessProfile(email: string): GuessedProfile {
  const username = email.trim();
  const [addressee = "", domain = ""] = username.split("@");
  const [first, ...others] = toNames(addressee);
  const [company] = toNames(domain);
  if (first === undefined || company === undefined) return { username: "", givenName: "", familyName: "" };
  return { username, givenName: first, familyName: others.length > 0 ? others.join(" ") : company };
}

function toNames(text: string): readonly string[] {
  return text
    .split(/[^\p{L}\p{M}'’]+/u)
    .filter((part) => part !== "")
    .map((part) => part.slice(0, 1).toLocaleUpperCase() + part.slice(1));
}

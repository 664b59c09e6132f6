/** The characters of RFC 3986. A URL with others would be read in more than one way. */
const address = /^https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]{1,4096}$/i;

/**
 * Returns a URL in the form in which URLs are compared: without query and fragment, and normalised (RFC 9449 §4.3, RFC 3986 §6.2.2 and
 * §6.2.3). Undefined for what is no such URL.
 */
export function toTarget(text: string): string | undefined {
  if (!address.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  return url.origin + url.pathname.replaceAll(/%([\da-f]{2})/gi, normaliseEscape);
}

/** RFC 3986 §6.2.2.1 and §6.2.2.2: digits are capital, and characters that need no escape have none. */
function normaliseEscape(escape: string, digits: string): string {
  const character = String.fromCharCode(Number.parseInt(digits, 16));
  return /[\w\-.~]/.test(character) ? character : escape.toUpperCase();
}

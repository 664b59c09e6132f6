/** The answer that an application gets through the browser. Undefined ones are left out. */
export type ApplicationAnswer = Readonly<Record<string, string | undefined>>;

/**
 * Makes the URL at which an application gets its answer: its redirect URI, with the answer behind a query that it may have
 * (RFC 6749 §4.1.2). Nothing of the answer can be anything but a value.
 */
export function toRedirect(redirectUri: string, answer: ApplicationAnswer): string {
  const parameters = new URLSearchParams(
    Object.entries(answer).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();
  if (parameters === "") return redirectUri;
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`;
}

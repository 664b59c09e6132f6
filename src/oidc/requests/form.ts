import { OAuthError } from "./oauth-error.ts";

/** The parameters of a request, each with its one value. Those without a value are left out (RFC 6749 §3.2). */
export type Form = ReadonlyMap<string, string>;

/** The largest body of a request. */
export const maxFormBytes = 65_536;

/** The only parameters that may be repeated (RFC 8707 §2, RFC 8693 §2.1). None of them has a meaning yet. */
const repeatable: ReadonlySet<string> = new Set(["resource", "audience"]);

/** Raises invalid_request unless the body is a form (RFC 6749 appendix B). */
export function requireFormType(contentType: string | undefined): void {
  if (/^application\/x-www-form-urlencoded(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i.test(contentType ?? ""))
    return;
  throw new OAuthError(
    "invalid_request",
    "the content type must be application/x-www-form-urlencoded in UTF-8",
  );
}

/** Reads a form. Raises invalid_request for what is no UTF-8 and for parameters that are sent twice (RFC 6749 §3.1, §3.2). */
export function parseForm(body: Uint8Array): Form {
  const seen = new Set<string>();
  const form = new Map<string, string>();
  for (const pair of decodeUtf8(body).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodePart(equals < 0 ? pair : pair.slice(0, equals));
    if (seen.has(name) && !repeatable.has(name))
      throw new OAuthError("invalid_request", "a parameter is sent more than once");
    seen.add(name);
    const value = equals < 0 ? "" : decodePart(pair.slice(equals + 1));
    if (value !== "") form.set(name, value);
  }
  return form;
}

/** Returns a parameter. Raises invalid_request if it is missing. */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `the parameter ${name} is missing`);
  return value;
}

/** Decodes one part of a form. Raises invalid_request for a percent sign without two digits, and for bytes that are not UTF-8. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformed();
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed();
  }
}

function malformed(): OAuthError {
  return new OAuthError("invalid_request", "the body is not a form in UTF-8");
}

import { isFormType } from "../../../kernel/http/bodies/form-type.ts";
import { OAuthError } from "./oauth-error.ts";

/** The parameters of a request, each with its one value. Those without a value are left out (RFC 6749 §3.2). */
export type Form = ReadonlyMap<string, string>;

/** The parameters of a request that may be wrong in a way that is answered later. */
export interface Parameters {
  /** The first value of each parameter, but the last one of those that may be repeated. */
  readonly values: Form;
  /** The parameters that were sent more than once, and must not be. */
  readonly repeated: ReadonlySet<string>;
  readonly lists: Lists;
}

/** All values of the parameters that may be repeated. Those that were not sent are left out. */
export type Lists = ReadonlyMap<string, readonly string[]>;

/** The largest body of a request. */
export const maxFormBytes = 65_536;

/** The only parameters that may be repeated (RFC 8707 §2, RFC 8693 §2.1). */
const repeatable: ReadonlySet<string> = new Set(["resource", "audience"]);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Raises invalid_request unless the body is a form (RFC 6749 appendix B). */
export function requireFormType(contentType: string | undefined): void {
  if (isFormType(contentType)) return;
  throw new OAuthError("invalid_request", "the content type must be application/x-www-form-urlencoded");
}

/** Reads a form. Raises invalid_request for what is no UTF-8 and for parameters that are sent twice (RFC 6749 §3.1, §3.2). */
export function parseForm(body: Uint8Array): { readonly form: Form; readonly lists: Lists } {
  const { values, repeated, lists } = parseParameters(decodeUtf8(body));
  if (repeated.size > 0) throw new OAuthError("invalid_request", "a parameter is sent more than once");
  return { form: values, lists };
}

/** Reads a form, or the query of a URL. Raises invalid_request for what is no UTF-8. */
export function parseParameters(text: string): Parameters {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodePart(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decodePart(pair.slice(equals + 1));
    if (seen.has(name) && !repeatable.has(name)) repeated.add(name);
    else if (value !== "") {
      values.set(name, value);
      if (repeatable.has(name)) lists.set(name, [...(lists.get(name) ?? []), value]);
    }
    seen.add(name);
  }
  return { values, repeated, lists };
}

/** Returns a parameter. Raises invalid_request if it is missing. */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError("invalid_request", `the parameter ${name} is missing`);
  return value;
}

/** Decodes one part of a form. Raises invalid_request for a percent sign without two digits, and for bytes that are not UTF-8. */
export function decodePart(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformed();
  }
}

/** Reads bytes as text. Raises invalid_request for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed();
  }
}

function malformed(): OAuthError {
  return new OAuthError("invalid_request", "the request is not a form in UTF-8");
}

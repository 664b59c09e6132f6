import { type FieldViolation, urlForbidden } from "../../kernel/base/problem.ts";
import { urlViolation } from "../../kernel/base/url.ts";

/** The guarded fetch as this feature needs it. */
export interface UrlRules {
  /** Says why the URL is forbidden as it is written, or returns undefined. Connects to nothing. */
  violationOf(url: string): string | undefined;
}

/** Leaves an empty or too long text to the rule of the proto, which already reports it. */
export function checkUrl(
  field: string,
  text: string,
  rules: { readonly allowQuery: boolean },
): readonly FieldViolation[] {
  if (text === "") return []; // the rule of the proto says so
  const description = urlViolation(text, { allowQuery: rules.allowQuery });
  return description === undefined ? [] : [{ field, description }];
}

/** A URL that the service itself connects to, and the field that holds it. */
export interface SentUrl {
  readonly field: string;
  readonly url: string;
}

/**
 * Refuses a URL whose host, as it is written, the service never connects to. Whether the URL has to be https is decided at use. Raises
 * URL_FORBIDDEN.
 */
export function requireFetchable(urlRules: UrlRules, { field, url }: SentUrl): void {
  const violation = urlRules.violationOf(url.replace(/^http:/i, "https:"));
  if (violation !== undefined) throw urlForbidden(field, violation);
}

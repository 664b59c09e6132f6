import { fieldInvalid, type Problem } from "../../../kernel/base/problem.ts";
import { urlViolation } from "../../../kernel/base/url.ts";

/** Where a template stands for the code. */
const placeholder = "{code}";

/** Returns the link to the page of our own that takes the code. `clientId` is the application that it leads back to. */
export function linkToPage(
  issuer: string,
  { userId, code, clientId }: { readonly userId: string; readonly code: string; readonly clientId?: string },
): string {
  const query = new URLSearchParams({ code, ...(clientId === undefined ? {} : { client_id: clientId }) });
  return `${issuer}/login/password/${userId}?${query.toString()}`;
}

/** Puts the code into a template that was found to be good. */
export function linkByTemplate(template: string, code: string): string {
  return template.replace(placeholder, () => code);
}

/**
 * Returns the origin that the template begins with, whatever the code is. The caller decides whether it is one of those that may be
 * linked to. Raises FIELD_INVALID for anything but an absolute URL with `{code}` once, behind its origin: a URL that mail programs
 * read differently than we do must not get into a mail.
 */
export function originOfTemplate(template: string, field: string): string {
  const parts = template.split(placeholder);
  const [before = ""] = parts;
  const sample = linkByTemplate(template, "CODE");
  const origin =
    urlViolation(sample, { allowQuery: true }) === undefined ? new URL(sample).origin : undefined;
  if (parts.length !== 2 || origin === undefined || !printable.test(template)) throw templateInvalid(field);
  if (!before.startsWith(`${origin}/`)) throw templateInvalid(field);
  return origin;
}

/** Returns the problem of a template whose origin is not one that may be linked to. */
export function templateForbidden(field: string): Problem {
  return fieldInvalid(
    field,
    "must begin with the issuer, or an additional origin of an active application in the user's organization",
  );
}

/** ASCII without spaces and what ends a link in a text. */
const printable = /^[!#-;=?-~]+$/;

function templateInvalid(field: string): Problem {
  return fieldInvalid(
    field,
    "must be an http or https URL in ASCII without user info and fragment, with {code} once, in its path or query",
  );
}

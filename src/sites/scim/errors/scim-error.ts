import { type Problem, toChallenge } from "../../../kernel/base/problem.ts";
import type { Reason } from "../../../kernel/base/reason.ts";
import { httpStatusOf, problemHeaders } from "../../../kernel/http/errors/problem-status.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";

/** What `scimType` says of an error (RFC 7644 §3.12, RFC 9865 §2.1). */
export type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"
  | "invalidVers"
  | "sensitive"
  | "invalidCursor"
  | "invalidCount";

/** A refusal in the words of SCIM. It does not leave this room. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail);
    this.name = "ScimError";
    this.status = status;
    this.scimType = scimType;
  }
}

/** Returns the refusal of a request that is at fault. */
export function refusal(scimType: ScimType, detail: string): ScimError {
  return new ScimError(scimType === "uniqueness" ? 409 : 400, scimType, detail);
}

/** Returns the refusal of a resource that does not exist, or that the caller may not see. */
export function resourceNotFound(id: string): ScimError {
  return new ScimError(404, undefined, `the resource ${JSON.stringify(id)} does not exist`);
}

/** The content type of everything that SCIM says (RFC 7644 §3.1). */
export const scimContentType = "application/scim+json";

const errorUri = "urn:ietf:params:scim:api:messages:2.0:Error";

const typeOfReason: Readonly<Partial<Record<Reason, ScimType>>> = {
  ALREADY_EXISTS: "uniqueness",
  INVALID_REQUEST: "invalidSyntax",
  FIELD_INVALID: "invalidValue",
  PASSWORD_TOO_WEAK: "invalidValue",
  PAGE_TOKEN_INVALID: "invalidCursor",
};

/** Makes the body of an error; `status` is a text (RFC 7644 §3.12). */
export function toErrorBody({ status, scimType, message }: ScimError) {
  return {
    schemas: [errorUri],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
  };
}

/** The attributes whose values are fields of calls under other names. */
const attributeOfField: Readonly<Record<string, string>> = {
  username: "userName",
  given_name: "name.givenName",
  family_name: "name.familyName",
  display_name: "displayName",
  preferred_language: "preferredLanguage",
  email: "emails",
  external_id: "externalId",
  name: "displayName", // of a group
};

/** Says a problem of a call in the words of SCIM. */
export function toScimError(problem: Problem): ScimError {
  const { reason, message } = problem;
  const [field = ""] = reason === "FIELD_INVALID" ? message.split(":", 1) : [];
  const detail = `${attributeOfField[field] ?? field}${message.slice(field.length)}`;
  return new ScimError(httpStatusOf(problem), typeOfReason[reason], detail);
}

/** Makes the answer to an error. */
export function toScimErrorReply(error: ScimError | Problem): Reply {
  const isOwn = error instanceof ScimError;
  const said = isOwn ? error : toScimError(error);
  const headers: Record<string, string> = { "content-type": scimContentType };
  if (!isOwn) Object.assign(headers, problemHeaders(error));
  if (!isOwn && error.kind === "unauthenticated") headers["www-authenticate"] = toChallenge(error);
  return {
    status: said.status,
    headers,
    body: JSON.stringify(toErrorBody(said)),
  };
}

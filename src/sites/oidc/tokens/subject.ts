import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { OidcSettings } from "../../../identity/applications/oidc/oidc-application.ts";
import {
  findImportedId,
  findUserIdByImportedId,
} from "../../../identity/people/user/imported-id-repository.ts";

/** The part of an application that says what names its users. */
export interface SubjectOf {
  readonly settings: Pick<OidcSettings, "subject">;
}

/** Returns the `sub` of the user for an application; the id for a service user that acts for itself, which has none. */
export async function readSubject(
  tx: ReadTransaction,
  application: SubjectOf | undefined,
  userId: UserId,
): Promise<string> {
  if (application?.settings.subject !== "IMPORTED_ID") return userId;
  return (await findImportedId(tx, userId)) ?? userId;
}

/**
 * Returns the id of the user that an application means by a `sub`; a text that means nobody, as it is. No imported id is the id of
 * another user, so tokens that were made before the setting changed mean the same user as before.
 */
export async function readUserIdOf(
  tx: ReadTransaction,
  { settings }: SubjectOf,
  subject: string,
): Promise<string> {
  if (settings.subject !== "IMPORTED_ID") return subject;
  return (await findUserIdByImportedId(tx, subject)) ?? subject;
}

import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { HumanUser } from "../user/user.ts";
import { issuerNotConfigured } from "./password.ts";
import { linkByTemplate, originOfTemplate, templateForbidden } from "./password-link.ts";

/** Where links with codes may lead. */
export interface LinkOptions {
  /** Returns the issuer; undefined when the service has none. */
  readonly issuer: () => string | undefined;
  /** Says whether an ACTIVE application in the organization has the origin among its additional ones. */
  readonly isOriginOf: (
    tx: ReadTransaction,
    organizationId: OrganizationId,
    origin: string,
  ) => Promise<boolean>;
}

/**
 * Chooses the link that a code is mailed in: to a page of our own, or to one of the organization's applications, whose server sees
 * the code. An empty template stands for our own. Raises FIELD_INVALID, ISSUER_NOT_CONFIGURED.
 */
export async function chooseLink(
  { issuer, isOriginOf }: LinkOptions,
  tx: ReadTransaction,
  asked: {
    readonly user: HumanUser;
    readonly urlTemplate: string;
    /** The path of the template in the request. */
    readonly field: string;
    readonly toOwnLink: (issuer: string, code: string) => string;
  },
): Promise<{ readonly toLink: (code: string) => string; readonly isOwn: boolean }> {
  const { user, urlTemplate, field, toOwnLink } = asked;
  const own = issuer();
  if (urlTemplate === "") {
    if (own === undefined) throw issuerNotConfigured();
    return { toLink: (code) => toOwnLink(own, code), isOwn: true };
  }
  const origin = originOfTemplate(urlTemplate, field);
  const organizationId = toId<OrganizationId>(user.details.resourceOwner);
  if (origin !== own && !(await isOriginOf(tx, organizationId, origin))) throw templateForbidden(field);
  return { toLink: (code) => linkByTemplate(urlTemplate, code), isOwn: origin === own };
}

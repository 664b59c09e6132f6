import type { OrganizationId } from "../../../kernel/base/ids.ts";

/** Where the pages of the account are. */
export const accountPath = "/account";

/** Names the organization in the query of a page of the account: a login that it begins is one of that organization. */
export const organizationParameter = "organization";

/** Returns where users of the organization open their account: their login offers the ways of the organization. */
export function accountPathOf(organizationId: OrganizationId): string {
  return `${accountPath}?${organizationParameter}=${organizationId}`;
}

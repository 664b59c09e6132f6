import type { Nothing } from "./application-payloads.ts";

/** The payloads of memberships, of users and of groups. */
export interface MembershipPayloads {
  "membership.added": {
    /** Exactly one of these two is set. */
    readonly user_id?: string;
    readonly group_id?: string;
    /** Exactly one of these four is set. */
    readonly instance?: true;
    readonly organization_id?: string;
    readonly project_id?: string;
    readonly project_grant_id?: string;
    readonly roles: readonly string[];
    /** Tokens of the user, or of those in the group, that do not carry the roles; absent = none. */
    readonly limited_token_ids?: readonly string[];
  };
  "membership.changed": {
    readonly roles: readonly string[];
    /** Tokens of the user that do not carry the roles that are added; absent = none. */
    readonly limited_token_ids?: readonly string[];
  };
  /**
   * Tokens do not carry the roles: an update has found that they came from logins at an identity provider, or their users have come into
   * the group of the membership.
   */
  "membership.limited": { readonly limited_token_ids: readonly string[] };
  "membership.removed": Nothing;
}

/** The payloads of users, grants and memberships in versions that are not written any more; see `older-payloads.ts`. Nothing of it is ever changed. */

/** Version 1 of `user_grant.added`. */
export interface UserGrantAddedV1 {
  readonly user_id: string;
  readonly project_id: string;
  readonly project_grant_id: string;
  readonly role_keys: readonly string[];
}

/** Version 2 of `user_grant.added`. */
export interface UserGrantAddedV2 extends UserGrantAddedV1 {
  readonly held_at_home?: boolean;
}

/** Version 1 of `user_grant.changed`, `project_grant.changed` and `group_grant.changed`. */
export interface GrantChangedV1 {
  readonly role_keys: readonly string[];
}

/** Version 1 of `project_grant.added`. */
export interface ProjectGrantAddedV1 extends GrantChangedV1 {
  readonly project_id: string;
  readonly granted_organization_id: string;
}

/** Version 1 of `membership.changed`. */
export interface MembershipChangedV1 {
  readonly roles: readonly string[];
  readonly limited_token_ids?: readonly string[];
}

/** Version 1 of `membership.added`. */
export interface MembershipAddedV1 extends MembershipChangedV1 {
  readonly user_id: string;
  readonly instance?: true;
  readonly organization_id?: string;
  readonly project_id?: string;
  readonly project_grant_id?: string;
}

/** Version 2 of `membership.added`. */
export interface MembershipAddedV2 extends Omit<MembershipAddedV1, "user_id"> {
  readonly user_id?: string;
  readonly group_id?: string;
}

/** Version 1 of `group_grant.added`. */
export interface GroupGrantAddedV1 {
  readonly group_id: string;
  readonly project_id: string;
  readonly project_grant_id: string;
  readonly role_keys: readonly string[];
  readonly held_at_home: boolean;
}

/** Version 1 of `group.member.added`. */
export interface GroupMemberAddedV1 {
  readonly user_ids: readonly string[];
  readonly group_ids: readonly string[];
}

/** Version 1 of `user.changed`. */
export interface UserChangedV1 {
  readonly username?: string;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly display_name?: string;
  readonly preferred_language?: string;
  readonly email?: string;
  readonly name?: string;
  readonly description?: string;
}

/** Version 1 of `user.added`. */
export interface UserAddedV1 extends UserChangedV1 {
  readonly kind: "human" | "service";
  readonly phone?: string;
}

/** Version 2 of `user.added`. */
export interface UserAddedV2 extends UserAddedV1 {
  readonly access_token_type?: string;
  readonly signing_algorithm?: string;
}

/** Version 2 of `user.changed`. */
export interface UserChangedV2 extends UserChangedV1 {
  readonly access_token_type?: string;
  readonly signing_algorithm?: string;
}

/** Version 3 of `user.added`. */
export interface UserAddedV3 extends UserAddedV2 {
  readonly imported_id?: string;
  readonly imported_id_digest?: string;
}

/** Version 1 of `group.added` and `group.changed`. */
export interface GroupSettingsV1 {
  readonly name: string;
  readonly description: string;
  readonly external_id: string;
  readonly source_idp_id?: string;
  readonly source_user_id?: string;
}

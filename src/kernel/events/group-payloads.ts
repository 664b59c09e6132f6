import type { Nothing } from "./application-payloads.ts";

/** All settings of a group: a change replaces every one of them. */
export interface GroupSettingsPayload {
  readonly name: string;
  readonly description: string;
  readonly external_id: string;
  /** The identity provider or the service user that alone changes the members; at most one of them. */
  readonly source_idp_id?: string;
  readonly source_user_id?: string;
}

/** Members that were added or removed: those whose state has changed, at least one. */
export interface GroupMembersPayload {
  readonly user_ids: readonly string[];
  readonly group_ids: readonly string[];
}

/** The payloads of groups and of the grants to them. */
export interface GroupPayloads {
  "group.added": GroupSettingsPayload;
  "group.changed": GroupSettingsPayload;
  /** With its grants and memberships. Its members stay, without it. */
  "group.removed": Nothing;
  "group.member.added": GroupMembersPayload;
  "group.member.removed": GroupMembersPayload;
  "group_grant.added": {
    readonly group_id: string;
    readonly project_id: string;
    /** Empty when the organization owns the project. */
    readonly project_grant_id: string;
    readonly role_keys: readonly string[];
    /** Whether its giver held user.grant.write in the organization of the group. */
    readonly held_at_home: boolean;
  };
  "group_grant.changed": { readonly role_keys: readonly string[] };
  "group_grant.deactivated": Nothing;
  "group_grant.reactivated": Nothing;
  "group_grant.removed": Nothing;
}

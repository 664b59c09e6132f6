import type { Nothing } from "./application-payloads.ts";

/** From when until when a right is in effect: instants to the microsecond. Absent: no such limit. Both are replaced together. */
export interface PeriodPayload {
  readonly start_date?: string;
  readonly end_date?: string;
}

/** All settings of a group: a change replaces every one of them. */
export interface GroupSettingsPayload {
  readonly name: string;
  readonly description: string;
  readonly external_id: string;
  /** The identity provider, the service user or the hook that alone changes the members; at most one of them. */
  readonly source_idp_id?: string;
  readonly source_user_id?: string;
  readonly source_hook_id?: string;
}

/** Members that were added or removed: those whose state has changed, at least one. */
export interface GroupMembersPayload {
  readonly user_ids: readonly string[];
  readonly group_ids: readonly string[];
}

/** The payloads of what gives users roles: memberships, grants, and groups. */
export interface RightsPayloads {
  "group.added": GroupSettingsPayload;
  "group.changed": GroupSettingsPayload;
  /** With its grants and memberships. Its members stay, without it. */
  "group.removed": Nothing;
  /** The dates are those of the users, also of users who were members before: they replace the dates that these had. */
  "group.member.added": GroupMembersPayload & PeriodPayload;
  "group.member.removed": GroupMembersPayload;
  "group_grant.added": PeriodPayload & {
    readonly group_id: string;
    readonly project_id: string;
    /** Empty when the organization owns the project. */
    readonly project_grant_id: string;
    readonly role_keys: readonly string[];
    /** Whether its giver held user.grant.write in the organization of the group. */
    readonly held_at_home: boolean;
  };
  "group_grant.changed": PeriodPayload & { readonly role_keys: readonly string[] };
  "group_grant.deactivated": Nothing;
  "group_grant.reactivated": Nothing;
  "group_grant.removed": Nothing;
  "membership.added": PeriodPayload & {
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
  "membership.changed": PeriodPayload & {
    readonly roles: readonly string[];
    /** Tokens of the user that do not carry the roles that are added; absent = none. */
    readonly limited_token_ids?: readonly string[];
  };
  /**
   * Tokens do not carry any role of the membership: an update of the service has found that they came from logins at an identity
   * provider, their users have come into the group of the membership, or a later end counts as a gain of all of it.
   */
  "membership.limited": { readonly limited_token_ids: readonly string[] };
  "membership.removed": Nothing;
  "project_grant.added": PeriodPayload & {
    readonly project_id: string;
    readonly granted_organization_id: string;
    readonly role_keys: readonly string[];
  };
  /** Replaces the roles. User grants that rest on it lose those that are not among them any more. */
  "project_grant.changed": PeriodPayload & { readonly role_keys: readonly string[] };
  "project_grant.deactivated": Nothing;
  "project_grant.reactivated": Nothing;
  /** With the user grants and memberships that rest on it. */
  "project_grant.removed": Nothing;
  "user_grant.added": PeriodPayload & {
    readonly user_id: string;
    readonly project_id: string;
    /** Empty when the organization owns the project. */
    readonly project_grant_id: string;
    readonly role_keys: readonly string[];
    /** Whether its giver held user.grant.write in the organization of the user; absent = no, or nobody recorded it. */
    readonly held_at_home?: boolean;
  };
  "user_grant.changed": PeriodPayload & { readonly role_keys: readonly string[] };
  "user_grant.deactivated": Nothing;
  "user_grant.reactivated": Nothing;
  "user_grant.removed": Nothing;
}

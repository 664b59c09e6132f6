import type { Setters } from "./stored-value.ts";

/** Fields and calls that change something, by which nobody can act as others, reach further, or learn a secret. */
export interface Harmless {
  readonly reason: string;
  readonly setBy: readonly Setters[];
}

/** Values that affect nobody else. Fields that only name the object of a call are in `namingFields`. */
export const actsOnNobodyElse: readonly Harmless[] = [
  {
    reason: "it takes away, and gives nothing to anybody; it needs the permission of the call all the same",
    setBy: [
      { calls: ["DeactivateApplication", "RemoveApplication", "RemoveApplicationKey"] },
      { calls: ["DeactivateProject", "RemoveProject", "RemoveProjectRole"] },
      { calls: ["DeactivateProjectGrant", "RemoveProjectGrant"] },
      { calls: ["DeactivateUserGrant", "RemoveUserGrant", "BulkRemoveUserGrants"] },
      { calls: ["DeactivateGroupGrant", "RemoveGroupGrant", "RemoveGroup"] },
      {
        calls: [
          "RemoveUserMetadata",
          "RemoveOrganizationMetadata",
          "RemoveProjectMetadata",
          "RemoveApplicationMetadata",
          "RemoveGroupMetadata",
        ],
      },
      { calls: ["RemoveGroupMembers"], fields: ["user_ids", "group_ids"] },
      { calls: ["DeactivateIdentityProvider", "RemoveIdentityProvider", "RemoveMembership"] },
      { calls: ["DeactivateTarget", "RemoveTarget"] },
      { calls: ["DeactivateHook", "RemoveHook"] },
    ],
  },
  {
    reason: "a new organization has nothing, and nobody trusts its name yet; names are for display",
    setBy: [{ calls: ["AddOrganization", "UpdateOrganization"], fields: ["name"] }],
  },
  {
    reason: "the name of a target or a hook is for display",
    setBy: [{ calls: ["AddTarget", "UpdateTarget", "AddHook", "UpdateHook"], fields: ["name"] }],
  },
  {
    reason:
      "names and descriptions of groups are for display; no role hangs on them, and an application that reads names asks for that",
    setBy: [{ calls: ["AddGroup", "UpdateGroup"], fields: ["name", "description", "external_id"] }],
  },
  {
    reason: "a new user holds nothing, has proved nothing and can prove nothing",
    setBy: [
      {
        calls: ["AddHumanUser"],
        fields: [
          "username",
          "given_name",
          "family_name",
          "display_name",
          "preferred_language",
          "email",
          "phone",
        ],
      },
      {
        calls: ["AddServiceUser"],
        fields: ["username", "name", "description", "access_token_type", "signing_algorithm"],
      },
    ],
  },
  {
    reason:
      "display names are never identity, and the form of a service user's own tokens is its own business",
    setBy: [
      {
        calls: ["UpdateHumanUser"],
        fields: ["given_name", "family_name", "display_name", "preferred_language"],
      },
      {
        calls: ["UpdateServiceUser"],
        fields: ["name", "description", "access_token_type", "signing_algorithm"],
      },
    ],
  },
  {
    reason: "nobody has a role because it exists, and a removed role does not come back to users that had it",
    setBy: [
      { calls: ["AddProjectRole"], fields: ["role_key", "display_name", "group"] },
      { calls: ["BulkAddProjectRoles"], fields: ["roles"] },
      { calls: ["UpdateProjectRole"], fields: ["display_name", "group"] },
    ],
  },
  {
    reason:
      "only claim mappings tell them, under names that are not reserved; an application that trusts such a claim trusts who sets it",
    setBy: [
      {
        calls: [
          "SetUserMetadata",
          "SetOrganizationMetadata",
          "SetProjectMetadata",
          "SetApplicationMetadata",
          "SetGroupMetadata",
        ],
        fields: ["value"],
      },
      {
        calls: [
          "BulkSetUserMetadata",
          "BulkSetOrganizationMetadata",
          "BulkSetProjectMetadata",
          "BulkSetApplicationMetadata",
          "BulkSetGroupMetadata",
        ],
        fields: ["items"],
      },
    ],
  },
  {
    reason: "each item is checked as the call that it stands for",
    setBy: [{ calls: ["Write"], fields: ["items", "allow_partial_success"] }],
  },
];

/**
 * Fields that name the object of a call, which the caller must be able to reach. A call that sets one of them as a value, such as the
 * user of AddMembership, has it in the table besides. `force` is stored nowhere, and needs all permissions of INSTANCE_OWNER on the
 * instance.
 */
export const namingFields: readonly string[] = [
  "id",
  "user_id",
  "project_id",
  "app_id",
  "key_id",
  "idp_id",
  "target_id",
  "hook_id",
  "secret_id",
  "grant_id",
  "grant_ids",
  "group_id",
  "role_key",
  "key",
  "membership_id",
  "session_id",
  "token_id",
  "u2f_id",
  "code_factor_id",
  "passkey_id",
  "external_user_id",
  "force",
];

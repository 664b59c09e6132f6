import type { StoredValue } from "./stored-value.ts";

/** When a right is in effect: the fields of new ones and of updates. */
const dates = ["start_date", "end_date"];
const changedDates = [...dates, "remove_start_date", "remove_end_date"];

/** The values of users, and of what they hold: how they prove their identity, and what they may do. */
export const valuesOfUsers: readonly StoredValue[] = [
  {
    value: "the password of a user, and where a code for a new one goes",
    setBy: [
      {
        calls: ["SetPassword"],
        fields: ["password", "change_required", "current_password", "verification_code"],
      },
      { calls: ["RequestPasswordReset"], fields: ["send_link", "return_code"] },
      { calls: ["ResendInvitation"], fields: ["invite"] },
      { calls: ["RemovePassword"] },
    ],
    lets: "log in as the user, or keep the user out",
    needs: ["permission", "acting"],
    because: "users set their own by the present one or by a code",
  },
  {
    value: "how a user who is added signs in for the first time, and that their email address is verified",
    setBy: [
      {
        calls: ["AddHumanUser"],
        fields: ["password", "password_change_required", "send_code", "return_code", "is_verified", "invite"],
      },
    ],
    lets: "log in as the user",
    needs: ["permission"],
    because:
      "a new user holds nothing yet; the caller answers for what is set, which is put in question once the user gains roles",
  },
  {
    value: "the hash of a password",
    setBy: [{ calls: ["SetPasswordHash"], fields: ["encoded_hash", "change_required"] }],
    lets: "log in as the user",
    needs: ["instance", "acting"],
  },
  {
    value: "the hash of the first password",
    setBy: [{ calls: ["AddHumanUser"], fields: ["password_hash"] }],
    lets: "log in as the user",
    needs: ["instance"],
  },
  {
    value: "the id that a user had in another system",
    setBy: [{ calls: ["AddHumanUser"], fields: ["imported_id"] }],
    lets: "be taken for another user by applications whose subject is the imported id",
    needs: ["instance"],
  },
  {
    value: "the email address and the phone of a user, and that they are verified",
    setBy: [
      { calls: ["SetEmail"], fields: ["email", "send_code", "return_code", "is_verified"] },
      { calls: ["SetPhone"], fields: ["phone", "send_code", "return_code", "is_verified"] },
      { calls: ["ResendEmailCode", "ResendPhoneCode"], fields: ["send_code", "return_code"] },
      { calls: ["VerifyEmail", "VerifyPhone"], fields: ["verification_code"] },
      { calls: ["RemovePhone"] },
    ],
    lets: "receive codes for a new password of the user",
    needs: ["permission", "acting"],
    because: "users prove their own by a code; is_verified and return_code about oneself are refused",
  },
  {
    value: "whether the addresses that a directory sets by SCIM count as verified",
    setBy: [{ calls: ["AddServiceUser", "UpdateServiceUser"], fields: ["trust_mail"] }],
    lets: "the administrators of the directory receive codes for new passwords of its users",
    needs: ["instance"],
    because:
      "they answer for these addresses as an identity provider does, so such a code gives no login with roles outside, and no look-up over the instance finds them",
  },
  {
    value: "the name that a user types, and the email address in the profile",
    setBy: [
      { calls: ["UpdateHumanUser"], fields: ["username", "email"] },
      { calls: ["UpdateServiceUser"], fields: ["username"] },
    ],
    lets: "keep the user out, or receive what is meant for the user",
    needs: ["permission", "acting"],
  },
  {
    value: "second factors, passkeys and recovery codes",
    setBy: [
      { calls: ["RegisterU2f", "RegisterPasskey"], fields: ["domain"] },
      { calls: ["VerifyU2f"], fields: ["public_key_credential", "token_name"] },
      { calls: ["VerifyPasskey"], fields: ["public_key_credential", "passkey_name"] },
      { calls: ["VerifyTotp"], fields: ["code"] },
      {
        calls: [
          "RegisterTotp",
          "GenerateRecoveryCodes",
          "RemoveU2f",
          "RemovePasskey",
          "RemoveTotp",
          "RemoveCodeFactor",
          "RemoveRecoveryCodes",
        ],
      },
    ],
    lets: "log in as the user, or need less for it",
    needs: ["permission", "acting"],
  },
  {
    value: "which identities at providers are the user",
    setBy: [
      { calls: ["AddIdpLink"], fields: ["idp_id", "external_user_id", "external_username"] },
      { calls: ["RemoveIdpLink"] },
    ],
    lets: "log in as the user at the provider",
    needs: ["permission", "acting"],
  },
  {
    value: "personal access tokens, keys and secrets of a user",
    setBy: [
      { calls: ["AddPersonalAccessToken"], fields: ["expiration_date"] },
      { calls: ["AddServiceUserKey"], fields: ["type", "expiration_date", "public_key"] },
      { calls: ["GenerateServiceUserSecret"] },
    ],
    lets: "call as the user",
    needs: ["permission", "acting"],
    because:
      "a token that a user makes for themselves carries no more, and lasts no longer, than the one that made it",
  },
  {
    value: "that a user was stopped, or is not",
    setBy: [
      { calls: ["DeactivateUser", "ReactivateUser", "LockUser", "UnlockUser", "RemoveUser"] },
      { calls: ["RemovePersonalAccessToken", "RemoveServiceUserKey", "RemoveServiceUserSecret"] },
      { calls: ["TerminateSession", "RemoveRefreshToken"] },
      { calls: ["TerminateUserSessions"], fields: ["except_session_id"] },
    ],
    lets: "anybody with a token of the user use it again; keep the user out",
    needs: ["permission", "stopping"],
    because: "people who are responsible for a user can always stop them",
  },
  {
    value: "that an organization is not stopped",
    setBy: [{ calls: ["DeactivateOrganization", "RemoveOrganization"] }],
    lets: "keep all of its users out",
    needs: ["permission", "stopping"],
  },
  {
    value: "memberships: what a user may administer",
    setBy: [
      {
        calls: ["AddMembership"],
        fields: [
          "user_id",
          "group_id",
          "instance",
          "organization_id",
          "project_id",
          "project_grant_id",
          "roles",
          ...dates,
        ],
      },
      { calls: ["UpdateMembership"], fields: ["roles", ...changedDates] },
    ],
    lets: "the user do all that the roles permit",
    needs: ["permission", "giving"],
    because: "what others know of the user's ways to log in is put in question in the same write",
  },
  {
    value: "user grants: the roles that a user has in a project",
    setBy: [
      {
        calls: ["AddUserGrant"],
        fields: ["user_id", "project_id", "project_grant_id", "role_keys", ...dates],
      },
      { calls: ["UpdateUserGrant"], fields: ["role_keys", ...changedDates] },
      { calls: ["ReactivateUserGrant"] },
    ],
    lets: "the user do in the applications of the project whatever these make of the roles",
    needs: ["permission"],
    because:
      "with a project grant only the roles that it has can be given, and none of them counts in our own API",
  },
  {
    value: "who is in a group: what the members have by it, and by the groups that it is in",
    setBy: [{ calls: ["AddGroupMembers"], fields: ["user_ids", "group_ids", ...dates] }],
    lets: "the members do all that the grants and memberships permit",
    needs: ["permission", "giving"],
    because: "each grant and membership needs what it takes to give it to one user",
  },
  {
    value: "the source of a group",
    setBy: [
      { calls: ["AddGroup", "UpdateGroup"], fields: ["source_idp_id", "source_user_id", "source_hook_id"] },
    ],
    lets: "the provider, the service user or the owner of the URL of the hook decide who is in the group, and nobody else",
    needs: ["permission"],
    because: "a group with a source has no memberships, and neither has one that contains it",
  },
  {
    value: "group grants: the roles that the members of a group have in a project",
    setBy: [
      {
        calls: ["AddGroupGrant"],
        fields: ["group_id", "project_id", "project_grant_id", "role_keys", ...dates],
      },
      { calls: ["UpdateGroupGrant"], fields: ["role_keys", ...changedDates] },
      { calls: ["ReactivateGroupGrant"] },
    ],
    lets: "the members do in the applications of the project whatever these make of the roles",
    needs: ["permission"],
    because: "it also needs group.write where the group is; none of the roles counts in our own API",
  },
  {
    value: "project grants: the roles that another organization may give",
    setBy: [
      {
        calls: ["AddProjectGrant"],
        fields: ["project_id", "granted_organization_id", "role_keys", ...dates],
      },
      { calls: ["UpdateProjectGrant"], fields: ["role_keys", ...changedDates] },
      { calls: ["ReactivateProjectGrant"] },
    ],
    lets: "the other organization decide who has these roles",
    needs: ["permission"],
    because:
      "the owner of the project gives away only what is the project's; it gets nothing of the users of the other",
  },
];

import type { StoredValue } from "./stored-value.ts";

/** The values of hooks: logins are decided by them. */
export const valuesOfHooks: readonly StoredValue[] = [
  {
    value: "where hooks are asked, of an organization or of the instance, about what, and for how long",
    setBy: [
      { calls: ["AddHook"], fields: ["url", "kind", "instance", "timeout_ms", "fail_closed"] },
      { calls: ["UpdateHook"], fields: ["timeout_ms", "fail_closed"] },
      { calls: ["ReactivateHook"] },
    ],
    lets: "the owner of the URL learn what tokens of the applications tell, add claims to these, and refuse logins",
    needs: ["permission"],
    because:
      "the claims stand below a name that the application has chosen, and nobody is refused by it who holds a role on the instance",
  },
  {
    value: "the URL of a hook, with signing secrets that another receiver knows",
    setBy: [{ calls: ["UpdateHook"], fields: ["url"] }],
    lets: "the owner of the URL get signatures that the former receiver takes",
    needs: ["permission", "secret-again"],
  },
  {
    value: "what calls of hooks are signed with",
    setBy: [
      { calls: ["AddHook", "UpdateHook", "AddHookSecret"], fields: ["signing_secret"] },
      { calls: ["AddHookSecret", "RemoveHookSecret"] },
    ],
    lets: "anybody who knows the secret sign what the receiver takes for a login of ours",
    needs: ["permission"],
  },
  {
    value: "the metadata of users that a hook sets after a login at a provider",
    setBy: [{ calls: ["AddHook", "UpdateHook"], fields: ["metadata_keys"] }],
    lets: "the owner of the URL decide about metadata of these keys of users who come from a provider of the organization",
    needs: ["permission"],
    because: "only owners hold `policy.write`, and they may set all metadata of their users",
  },
  {
    value: "the claim that hooks fill in the tokens of an application",
    setBy: [{ calls: ["SetHookClaim"], fields: ["claim"] }],
    lets: "hooks put claims of that name into its tokens",
    needs: ["permission", "api-access"],
  },
];

import type { Guard } from "./guards.ts";

const owners = "test/sites/login/instance-owners.test.ts";
const locksOut = "test/api/locks-out.test.ts";
const wayIn = "test/identity/factors/ways-in/way-in.test.ts";
const commands = "src/identity/factors/ways-in/commands.ts";

/** What keeps those who hold a role on the instance from being locked out. */
export const wayInGuards: readonly Guard[] = [
  {
    name: "ways in: a holder of a role on the instance has its policy",
    file: "src/identity/policies/repository.ts",
    change: ["isOnInstance ? undefined : user.organizationId", "user.organizationId"],
    in: owners,
    test: "logs in by the policy of the instance",
  },
  {
    name: "ways in: the pages know whose policy it is",
    file: "src/sites/login/login-users.ts",
    change: ["isOnInstance ? undefined : organization.id", "organization.id"],
    in: owners,
    test: "logs in by the policy of the instance",
  },
  {
    name: "ways in: no organization says how a holder of a role on the instance logs in to its applications",
    file: "src/sites/login/flow/read-state.ts",
    change: ["user.isOnInstance ? [user.policy] : [policy, user.policy]", "[policy, user.policy]"],
    in: owners,
    test: "brings a login of the instance",
  },
  {
    name: "ways in: others still need both policies",
    file: "src/sites/login/flow/read-state.ts",
    change: ["user.isOnInstance ? [user.policy] : [policy, user.policy]", "[user.policy]"],
    in: owners,
    test: "brings a login of the instance",
  },
  {
    name: "ways in: a setup link opens the policy of the instance",
    file: "src/sites/login/pages/setup.ts",
    change: ["[...opened, ...added.events", "[...added.events"],
    in: owners,
    test: "allows passwords again",
  },
  {
    name: "ways in: a write that locks somebody out is undone",
    file: "src/identity/context.ts",
    change: ["for (const check of checks) await check();", ""],
    in: locksOut,
    test: "RemovePassword",
  },
  {
    name: "ways in: a gain of the first role on the instance is looked at",
    file: commands,
    change: ["asked.isGain === true || ", ""],
    in: locksOut,
    test: "AddMembership",
  },
  {
    name: "ways in: only an owner of the instance forces",
    file: commands,
    change: ["requireMayForce(command, instanceId);", ""],
    in: locksOut,
    test: "may force nothing",
  },
  {
    name: "ways in: only those who may read it learn who is locked out",
    file: commands,
    change: ["throw locksOut(people, isReader)", "throw locksOut(people, true)"],
    in: locksOut,
    test: "does not learn who",
  },
  {
    name: "ways in: only what gets worse is refused",
    file: commands,
    change: ["if (isWorse(standing, after))", 'if (after === "none")'],
    in: locksOut,
    test: "had no way before",
  },
  {
    name: "ways in: a provider alone is not enough on the instance",
    file: "src/identity/factors/ways-in/way-in.ts",
    change: ['if (facts.needsOwnFactor) return "none";', ""],
    in: wayIn,
  },
  {
    name: "ways in: a link of another issuer is none",
    file: "src/identity/factors/ways-in/repository.ts",
    change: ["if (present !== issuer) continue;", ""],
    in: locksOut,
    test: "UpdateIdentityProvider",
  },
];

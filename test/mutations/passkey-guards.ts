import type { Guard } from "./guards.ts";

const ofLogins = "test/sites/login/passkey.test.ts";
const ofNeed = "test/sites/login/passkey-needed.test.ts";
const ofAssertions = "test/kernel/webauthn/assertion-verification.test.ts";
const ofRegistrations = "test/identity/factors/passkeys/commands.test.ts";

/** Passkeys: their registration, and logins with them. */
export const passkeyGuards: readonly Guard[] = [
  {
    name: "passkey: a registration verifies the user",
    file: "src/identity/factors/authenticators/commands.ts",
    change: ["mustVerifyUser: kind.isPasswordless", "mustVerifyUser: false"],
    in: ofRegistrations,
    test: "has not verified its user",
  },
  {
    name: "passkey: a login verifies the user",
    file: "src/kernel/webauthn/assertion-verification.ts",
    change: ["mustVerifyUser: isPasswordless", "mustVerifyUser: false"],
    in: ofAssertions,
  },
  {
    name: "passkey: the answer says who the user is",
    file: "src/kernel/webauthn/assertion-verification.ts",
    change: ["userHandle === undefined ? !isPasswordless :", "userHandle === undefined ||"],
    in: ofAssertions,
  },
  {
    name: "passkey: a credential is registered once, as whatever",
    file: "src/identity/factors/authenticators/repository.ts",
    change: [' UNION ALL ${holder("passkeys")}', " UNION ALL SELECT ? WHERE 1 = 0"],
    in: ofRegistrations,
    test: "registered already",
  },
  {
    name: "passkey: a challenge is for one answer",
    file: "src/identity/factors/passkeys/login-commands.ts",
    change: ["if (!isOpen) throw", "if (false) throw"],
    in: ofLogins,
    test: "is good once",
  },
  {
    name: "passkey: a counter that went back",
    file: "src/identity/factors/passkeys/login-commands.ts",
    change: ["if (isCounterRegressed(passkey.counter, verified.counter)) {", "if (verified.counter < 0) {"],
    in: ofLogins,
    test: "counter that does not rise",
  },
  {
    name: "passkey: a counter that another login has used meanwhile",
    file: "src/identity/factors/passkeys/login-commands.ts",
    change: ["if (isCounterRegressed(found.counter, verified.counter)) {", "if (verified.counter < 0) {"],
    in: ofLogins,
    test: "two logins come with one counter at once",
  },
  {
    name: "passkey: what may be copied never changes",
    file: "src/identity/factors/passkeys/login-commands.ts",
    change: ["if (verified.isBackupEligible !== passkey.isBackupEligible) throw", "if (false) throw"],
    in: ofLogins,
    test: "may not be copied any more",
  },
  {
    name: "passkey: tries are counted by address",
    file: "src/identity/factors/passkeys/login-commands.ts",
    change: ["if (!begun.isAllowed) return", "if (!begun.isAllowed && begun.retryAfterMs < 0) return"],
    in: ofLogins,
    test: "a hundred times",
  },
  {
    name: "passkey: one that its user has to decide about logs nobody in",
    file: "src/identity/factors/passkeys/repository.ts",
    change: ["is_questioned = 0 AND domain = ?", "domain = ?"],
    in: ofLogins,
    test: "registered for a user who has gained roles",
  },
  {
    name: "passkey: the organization of the user allows them, too",
    file: "src/sites/login/passkey-offer.ts",
    change: ["found === undefined || !found.policy.allowPasskeys", "found === undefined"],
    in: ofLogins,
    test: "whose organization allows no passkeys",
  },
  {
    name: "passkey: the organization that is asked for",
    file: "src/sites/login/passkey-offer.ts",
    change: [
      "organizationId === undefined || organizationId === found.organization.id ? found",
      "found !== undefined ? found",
    ],
    in: ofLogins,
    test: "of another organization",
  },
  {
    name: "passkey: nobody gets past it by adding a factor",
    file: "src/sites/login/flow/steps.ts",
    change: ["\n  passkeyStep,", ""],
    in: ofNeed,
    test: "needs it where two factors are forced",
  },
  {
    name: "passkey: the application of others does not switch it off as a second factor",
    file: "src/sites/login/passkey-offer.ts",
    change: ["(user?.policy ?? policy).allowPasskeys", "policy.allowPasskeys"],
    in: ofNeed,
    test: "to another organization that allows no passkeys",
  },
];

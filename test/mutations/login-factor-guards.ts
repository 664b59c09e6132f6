import type { Guard } from "./guards.ts";

const ofAssertions = "test/kernel/webauthn/assertion-verification.test.ts";
const ofQuestions = "test/identity/memberships/questioned-ways.test.ts";
const ofLogins = "test/sites/login/second-factor.test.ts";
const ofFactors = "test/identity/factors/second-factors/login-commands.test.ts";

/** Second factors at a login, new passwords, and the first administrator. */
export const loginFactorGuards: readonly Guard[] = [
  {
    name: "review of factors: those that others without the roles registered",
    file: "src/identity/memberships/question-factors.ts",
    change: ["if (creator !== gain.userId) return await isCarriedByMaker(tx, way, gain);", ""],
    in: ofQuestions,
    test: "those that others registered",
  },
  {
    name: "review of factors: tokens that do not carry the roles",
    file: "src/identity/memberships/question-factors.ts",
    change: [" && !limitedTokenIds.includes(madeWithTokenId)", ""],
    in: ofQuestions,
    test: "registered with a token of the user",
  },
  {
    name: "review of factors: no session counts until then",
    file: "src/sites/login/session-use.ts",
    change: ["return (await listQuestionedWays(tx, session.user.id)).length === 0;", "return true;"],
    in: ofLogins,
    test: "has to log in anew for it",
  },
  {
    name: "review of factors: one that was removed proves nothing",
    file: "src/sites/login/steps/review-factors.ts",
    change: [
      "const checks = withoutChecksOf(interaction.checks, removed);",
      "const { checks } = interaction;",
    ],
    in: ofLogins,
    test: "who removes the key",
  },
  {
    name: "login u2f: origin of the answer",
    file: "src/kernel/webauthn/ceremony.ts",
    change: ["requireOrigins(clientData, expected.isOriginAllowed);", ""],
    in: ofAssertions,
  },
  {
    name: "login u2f: somebody touched the key",
    file: "src/kernel/webauthn/ceremony.ts",
    change: ["if (!authenticatorData.isUserPresent) throw", "if (false) throw"],
    in: ofAssertions,
  },
  {
    name: "login u2f: relying party id",
    file: "src/kernel/webauthn/ceremony.ts",
    change: ['throw credentialRefused("U2F_RP_ID_INVALID");', ";"],
    in: ofAssertions,
  },
  {
    name: "login u2f: signature",
    file: "src/kernel/webauthn/assertion-verification.ts",
    change: ["if (!isSigned(publicKey, signed, response.signature)) {", "if (false) {"],
    in: ofAssertions,
  },
  {
    name: "login u2f: the user of the credential",
    file: "src/kernel/webauthn/assertion-verification.ts",
    change: ["!== expected.credentialId || !isOfUser) {", "!== expected.credentialId) {"],
    in: ofAssertions,
  },
  {
    name: "login u2f: a challenge is for one answer",
    file: "src/identity/factors/second-factors/login-commands.ts",
    change: ["\n  if (!isOpen) throw", "\n  if (false) throw"],
    in: ofFactors,
  },
  {
    name: "login u2f: a challenge is for one registration",
    file: "src/identity/factors/authenticators/login-registration.ts",
    change: ["  if (!isOpen) throw", "  if (false) throw"],
    in: ofFactors,
  },
  {
    name: "login u2f: a challenge is for one user",
    file: "src/identity/factors/authenticators/challenge-repository.ts",
    change: ['${userId ?? ""} ', ""],
    in: ofFactors,
  },
  {
    name: "login u2f: a counter that went back",
    file: "src/identity/factors/second-factors/login-commands.ts",
    change: ["if (isCounterRegressed(factor.counter, counter)) {", "if (counter < 0) {"],
    in: ofFactors,
  },
  {
    name: "login u2f: a counter that another login has used meanwhile",
    file: "src/identity/factors/second-factors/login-commands.ts",
    change: ["if (isCounterRegressed(now.counter, counter)) {", "if (counter < 0) {"],
    in: ofFactors,
    test: "that another login has raised",
  },
  {
    name: "login u2f: a counter is kept",
    file: "src/identity/factors/authenticators/repository.ts",
    change: ["WHERE id = ? AND counter < ?", "WHERE id = ? AND counter < ? AND 1 = 0"],
    in: ofFactors,
  },
  {
    name: "login u2f: tries are counted before anything is compared",
    file: "src/identity/factors/second-factors/login-commands.ts",
    change: ["if (!begun.isAllowed) return", "if (!begun.isAllowed && begun.retryAfterMs < 0) return"],
    in: ofFactors,
  },
  {
    name: "login: a second factor is asked for",
    file: "src/sites/login/flow/steps.ts",
    change: ["\n  secondFactorStep,", ""],
    in: "test/sites/login/second-factor.test.ts",
  },
  {
    name: "login: two factors are forced",
    file: "src/sites/login/flow/steps.ts",
    change: ["\n  newFactorStep,", ""],
    in: "test/sites/login/second-factor.test.ts",
  },
  {
    name: "login: a factor is added only after a login of a moment ago",
    file: "src/sites/login/flow/read-state.ts",
    change: [" && !(await isSessionTooOld(tx, state))", ""],
    in: "test/sites/login/second-factor.test.ts",
    test: "only after a login of a moment ago",
  },
  {
    name: "login: a password of somebody else is replaced",
    file: "src/sites/login/flow/steps.ts",
    change: ["\n  newPasswordStep,", ""],
    in: "test/sites/login/new-passwords.test.ts",
  },
  {
    name: "login: who has the code learns what is wrong with the password",
    file: "src/sites/login/standalone/password-reset.ts",
    change: ["      requireGood({ password: attempt.password, issuer: visit.issuer, listed }, found);\n", ""],
    in: "test/sites/login/new-passwords.test.ts",
  },
  {
    name: "login: a form that sets a password is ours",
    file: "src/sites/login/pages/reset-password.ts",
    change: ["requireOwnForm(visit.exchange, form, readOwnCookie(visit, cookieName));", ""],
    in: "test/sites/login/new-passwords.test.ts",
  },
  {
    name: "setup link: it expires",
    file: "src/identity/instance/setup-link.ts",
    change: ["if (expirationMs <= nowMs) return undefined;", ""],
    in: "test/identity/instance/setup-link.test.ts",
  },
  {
    name: "setup link: only the master key makes one",
    file: "src/identity/instance/setup-link.ts",
    change: ["if (!keyring.keyIds.some(", "if (keyring.keyIds.length === 0 && !keyring.keyIds.some("],
    in: "test/identity/instance/setup-link.test.ts",
  },
  {
    name: "setup link: it is for one use",
    file: "src/identity/instance/administrator.ts",
    change: ['if (!(await useSetupLink(tx, link))) return "link_used";', "await useSetupLink(tx, link);"],
    in: "test/sites/login/setup.test.ts",
  },
  {
    name: "setup link: a factor is added only after a login of a moment ago",
    file: "src/sites/login/pages/setup-session.ts",
    change: ["|| nowMs - live.authTimeMs > recentLoginMs", ""],
    in: "test/sites/login/setup.test.ts",
  },
];

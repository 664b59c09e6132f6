import type { Guard } from "./guards.ts";

const ofApps = "test/identity/factors/totp/login-commands.sized.test.ts";
const ofCommands = "test/identity/factors/totp/commands.test.ts";
const ofPages = "test/sites/login/totp.test.ts";
const ofProofs = "test/sites/login/proofs.test.ts";
const apps = "src/identity/factors/totp/login-commands.ts";
const recovery = "src/identity/factors/recovery-codes/login-commands.ts";

/** Authenticator apps and recovery codes. */
export const totpGuards: readonly Guard[] = [
  {
    name: "totp: a step that was used is not compared again",
    file: "src/identity/factors/totp/time-code.ts",
    change: ["fitting.find((step) => !isUsed(step))", "fitting.find((step) => !isUsed(-step))"],
    in: "test/identity/factors/totp/time-code.test.ts",
    test: "is not good for a step that was used",
  },
  {
    name: "new passwords: a code sets none where the organization has no passwords",
    file: "src/sites/login/standalone/password-reset.ts",
    change: ["found?.policy.allowPassword === true ? found", "found !== undefined ? found"],
    in: "test/sites/login/new-passwords.test.ts",
    test: "has no passwords any more",
  },
  {
    name: "totp: a step is used up by one of those that were compared at once",
    file: apps,
    change: [
      "if (now?.id !== totp.id || !(await useTimeStep(tx, { userId, step, nowMs }))) throw",
      "await useTimeStep(tx, { userId, step, nowMs });\n      if (now?.id !== totp.id) throw",
    ],
    in: ofApps,
    test: "counts once among many at the same time",
  },
  {
    name: "totp: the app is still there",
    file: apps,
    change: ["if (now?.id !== totp.id || !(await", "if (now?.id === '' || !(await"],
    in: ofApps,
    test: "proves nothing once the app is gone",
  },
  {
    name: "totp: one of the user who is ready",
    file: apps,
    change: ['return totp?.state === "READY" ? totp : undefined;', "return totp;"],
    in: ofApps,
    test: "of a registration that was not completed",
  },
  {
    name: "totp: an offer is of one login",
    file: apps,
    change: ["return `${userId}.${loginId}`;", "return `${userId}.${loginId.slice(0, 1)}`;"],
    in: ofApps,
    test: "is of one login and user",
  },
  {
    name: "totp: an offer ends",
    file: apps,
    change: ["if (open.expirationMs <= clock.nowMs()) return undefined;", ""],
    in: ofApps,
    test: "is of one login and user",
  },
  {
    name: "totp: ten tries by rpc",
    file: "src/identity/factors/totp/commands.ts",
    change: ["if (!tried.isAllowed) throw loginPaused(tried.retryAfterMs);", ""],
    in: ofCommands,
    test: "is refused after ten wrong codes",
  },
  {
    name: "totp: a recent login of the user",
    file: "src/identity/factors/totp/commands.ts",
    change: ["if (user.id === call.caller.userId) await", "if (user.id === '') await"],
    in: ofCommands,
    test: "need a login of a moment ago",
  },
  {
    name: "totp: who began the registration answers for it",
    file: "src/identity/factors/totp/repository.ts",
    change: [
      "const origin = toOriginValues(event);",
      'const origin = toOriginValues({ ...event, editor: "system" });',
    ],
    in: "test/identity/memberships/questioned-ways.test.ts",
    test: "an app that others began to register",
  },
  {
    name: "recovery codes: a code is used up by one of those that were compared at once",
    file: recovery,
    change: ["const left = now && withoutRecoveryCode(now, hash);", "const left = now;"],
    in: ofApps,
    test: "is good once among eight",
  },
  {
    name: "recovery codes: they share the counter of second factors",
    file: recovery,
    change: [
      "if (!tried.isAllowed) return tried;",
      "if (!tried.isAllowed && userId.length === 0) return tried;",
    ],
    in: ofApps,
    test: "guesses",
  },
  {
    name: "second factor: only what the organization of the user allows",
    file: "src/identity/factors/second-factors/repository.ts",
    change: [
      "return kinds.filter((kind) => policy.secondFactors.includes(kind));",
      "return policy === undefined ? [] : kinds;",
    ],
    in: ofPages,
    test: "where the organization allows keys alone",
  },
  {
    name: "second factor: it counts for its own user",
    file: "src/sites/login/settle-factor.ts",
    change: ["if (proved.userId !== user.id || !(await", "if (!(await"],
    in: "test/sites/login/settle-factor.test.ts",
    test: "in a login of somebody else",
  },
  {
    name: "factors: an app or key that was removed in the login counts no more",
    file: "src/sites/login/flow/gone-proof.ts",
    change: ["(await isFactorInForce(tx, userId, factor.id))", 'userId !== ""'],
    in: ofProofs,
    test: "when the app was removed meanwhile",
  },
  {
    name: "factors: recovery codes that ended in the login count no more",
    file: "src/sites/login/flow/gone-proof.ts",
    change: ["(await findRecoveryCodes(tx, userId))?.id === codesId", 'userId !== ""'],
    in: ofProofs,
    test: "when the recovery codes were replaced or removed",
  },
  {
    name: "forms: what was proved before counts for the same login alone",
    file: "src/sites/login/flow/visits.ts",
    change: ["if (isOtherLogin(submitted.seen, before)) return { reply: toInteraction(request) };", ""],
    in: ofProofs,
    test: "leaves the code unused when it is the same user's",
  },
  {
    name: "codes that are sent: one to the address that set the password is not enough",
    file: "src/identity/factors/code-factors/repository.ts",
    change: ['kind !== "EMAIL_CODE" || !isByMail', "isByMail || true"],
    in: "test/sites/login/sent-code.test.ts",
    test: "if a code to the same address has set the password",
  },
  {
    name: "codes that are sent: never enough for a user with a role outside",
    file: "src/identity/factors/code-factors/repository.ts",
    change: ["if (holdsOutside(await listHeldRoles(tx, userId), organizationId)) return [];", ""],
    in: "test/sites/login/sent-code.test.ts",
    test: "with a role outside",
  },
  {
    name: "codes that are sent: wrong ones count with those of all second factors",
    file: "src/identity/factors/code-factors/login-commands.ts",
    change: ["if (!reserved.isAllowed) return", "if (reserved === undefined) return"],
    in: "test/sites/login/sent-code.test.ts",
    test: "waits after ten wrong ones",
  },
  {
    name: "codes that are sent: they end with the address",
    file: "src/identity/people/emails/repository.ts",
    change: [
      'await endFactorOfAddress(tx, "EMAIL_CODE", { userId: aggregateId, address: payload.email ?? null });',
      "",
    ],
    in: "test/sites/login/sent-code.test.ts",
    test: "loses it with the address",
  },
  {
    name: "codes that are sent: no second factor to applications",
    file: "src/identity/logins/sessions/session.ts",
    change: [
      'new Set<SessionMethod>(["U2F", "TOTP", "RECOVERY_CODE"])',
      'new Set<SessionMethod>(["U2F", "TOTP", "RECOVERY_CODE", "EMAIL_CODE"])',
    ],
    in: "test/sites/login/sent-code.test.ts",
    test: "needs another one where the application asks",
  },
];

import type { Guard } from "./guards.ts";

const life = "test/api/session-life.test.ts";

/** What keeps logins from holding longer than they may, and from doing more. */
export const sessionGuards: readonly Guard[] = [
  {
    name: "sessions: the end of a session ends its access tokens",
    file: "src/identity/logins/authorizations/authorization.ts",
    change: ["!authorization.isEnded && authorization.generation === generation", "!authorization.isEnded"],
    in: life,
    test: "when its session ends",
  },
  {
    name: "sessions: an ended authorization ends its access tokens",
    file: "src/identity/logins/authorizations/authorization.ts",
    change: [
      "!authorization.isEnded && authorization.generation === generation",
      "authorization.generation === generation",
    ],
    in: life,
    test: "loses one refresh token",
  },
  {
    name: "sessions: refresh tokens end when their user is locked",
    file: "src/identity/logins/authorizations/repository.ts",
    change: [
      "UPDATE authorizations SET is_ended = 1 WHERE user_id = ?\n",
      "UPDATE authorizations SET is_ended = 0 WHERE user_id = ?\n",
    ],
    in: life,
    test: "ends for good when its user is locked",
  },
  {
    name: "sessions: wrong passwords end nothing",
    file: "src/identity/logins/sessions/repository.ts",
    change: ["      if (payload.cause !== undefined) return;\n", ""],
    in: life,
    test: "locked by wrong passwords",
  },
  {
    name: "sessions: an inactive application lets nothing in",
    file: "src/identity/tokens-in-force/repository.ts",
    change: ["a.kind = 'oidc' AND a.state = 'ACTIVE'", "a.kind = 'oidc'"],
    in: life,
    test: "while the application is inactive",
  },
  {
    name: "sessions: whoever lacks the permission sees no session of others",
    file: "src/identity/logins/sessions/commands.ts",
    change: [
      "const userId = isOwnOnly === true ? call.caller.userId : filter.userId;",
      "const { userId } = filter;",
    ],
    in: life,
    test: "shows its session to its user",
  },
  {
    name: "sessions: what lasts is made within ten minutes of a login",
    file: "src/identity/logins/recent-logins/recent-login.ts",
    change: ["login !== undefined && login.authTimeMs > clock.nowMs() - recentMs", "login !== undefined"],
    in: life,
    test: "within ten minutes of the login",
  },
  {
    name: "sessions: what lasts is made with both factors",
    file: "src/identity/logins/recent-logins/recent-login.ts",
    change: ["!login.isMultiFactor && ", "!login && "],
    in: life,
    test: "needs two factors",
  },
  {
    name: "sessions: a session ends when it rests",
    file: "src/identity/logins/sessions/repository.ts",
    change: ["WHERE v.hash = ? AND v.expiration_ms > ?", "WHERE v.hash = ? AND 0 < ?"],
    in: life,
    test: "rests too long",
  },
  {
    name: "sessions: nothing is redeemed of one that has lasted too long",
    file: "src/identity/logins/authorizations/repository.ts",
    change: ["s.expiration_ms > ? AND v.expiration_ms > ?`", "0 < ? AND v.expiration_ms > ?`"],
    in: life,
    test: "at its end however it is used",
  },
  {
    name: "sessions: nothing is redeemed of one that has rested too long",
    file: "src/identity/logins/authorizations/repository.ts",
    change: ["s.expiration_ms > ? AND v.expiration_ms > ?`", "s.expiration_ms > ? AND 0 < ?`"],
    in: life,
    test: "rests too long",
  },
];

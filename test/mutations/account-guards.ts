import type { Guard } from "./guards.ts";

const account = "test/sites/account/account.test.ts";
const passkeys = "test/sites/account/passkeys.test.ts";
const hostile = "test/sites/account/hostile.test.ts";
const call = "test/sites/account/session-call.test.ts";

/** What keeps the account pages to the user whose session the browser has. */
export const accountGuards: readonly Guard[] = [
  {
    name: "account: a recent login has two factors where the login pages ask for them",
    file: "src/identity/logins/recent-logins/recent-login.ts",
    change: ["(await hasTwoFactors(tx, caller))", "false"],
    in: "test/identity/logins/recent-logins/recent-login.test.ts",
    test: "is not enough",
  },
  {
    name: "account: a session is judged as a login does",
    file: "src/sites/account/flow/router.ts",
    change: [
      "if (page.takesAnySession !== true && !(await doesSessionSuffice(tx, session, asked))) return undefined;",
      "",
    ],
    in: hostile,
    test: "shows and changes nothing once|takes no passwords",
  },
  {
    name: "account: a form comes from our page in this session",
    file: "src/sites/account/flow/router.ts",
    change: ["if (!isOwnForm(exchange, form, visit)) return renderOutdatedForm(visit);", ""],
    in: hostile,
    test: "changes nothing",
  },
  {
    name: "account: a page that changes how somebody logs in wants a recent login",
    file: "src/sites/account/flow/router.ts",
    change: ["if (page.isGuarded !== true) return await page.show(visit);", "return await page.show(visit);"],
    in: account,
    test: "is asked for by password",
  },
  {
    name: "account: a new login is of the same user",
    file: "src/sites/account/account-logins.ts",
    change: ['prompts: ["login"], loginHint, subject }', 'prompts: ["login"], loginHint }'],
    in: account,
    test: "lets nobody else in",
  },
  {
    name: "account: a new login rests on no session",
    file: "src/sites/account/account-logins.ts",
    change: ['prompts: ["login"], loginHint', "loginHint"],
    in: account,
    test: "lets nobody else in|is asked for by password",
  },
  {
    name: "account: only sessions of one's own end",
    file: "src/sites/account/pages/sessions.ts",
    change: ["if (session.userId !== call.caller.userId) throw sessionNotFound(id);", ""],
    in: hostile,
    test: "no session to end",
  },
  {
    name: "account: a session that has ended meanwhile changes nothing",
    file: "src/sites/account/session-call.ts",
    change: ["if (found?.session.id !== session.session.id) throw new SessionEnded();", ""],
    in: call,
    test: "once the session has ended",
  },
  {
    name: "account: a session is judged as a login, not as a personal access token",
    file: "src/identity/logins/recent-logins/recent-login.ts",
    change: [
      "if (caller.accessToken === undefined && login === undefined && mayUseToken) return;",
      "if (caller.accessToken === undefined && mayUseToken) return;",
    ],
    in: call,
    test: "not as a token",
  },
  {
    name: "account: a new login is one of the user's organization",
    file: "src/sites/account/account-logins.ts",
    change: ["toAccountLogin(path, organization.id)", "toAccountLogin(path, undefined)"],
    in: "test/sites/account/organizations.test.ts",
    test: "offers the ways of the user's organization",
  },
  {
    name: "account: an organization that lets nobody in is none",
    file: "src/sites/account/flow/router.ts",
    change: ['return found?.state === "ACTIVE" ? found.id : undefined;', "return found?.id;"],
    in: "test/sites/account/organizations.test.ts",
    test: "that is deactivated",
  },
  {
    name: "account: a passkey is added only where the organization allows it",
    file: "src/sites/account/pages/passkeys.ts",
    change: ["return user.policy.allowPasskeys && ports", "return ports"],
    in: passkeys,
    test: "is not offered where the organization allows none",
  },
  {
    name: "account: a passkey is added after a recent login",
    file: "src/sites/account/pages/add-passkey.ts",
    change: ["isGuarded: true,", ""],
    in: passkeys,
    test: "only after a recent login",
  },
  {
    name: "account: a device verifies its user before it becomes a passkey",
    file: "src/identity/factors/authenticators/login-registration.ts",
    change: ["mustVerifyUser: kind.isPasswordless", "mustVerifyUser: false"],
    in: passkeys,
    test: "has not verified its user",
  },
  {
    name: "account: a registration on a page answers the challenge of its session",
    file: "src/identity/factors/authenticators/login-registration.ts",
    change: ['if (!isOpen) throw credentialRefused("U2F_CHALLENGE_INVALID");', ""],
    in: passkeys,
    test: "the challenge of another session",
  },
  {
    name: "account: a challenge for a passkey is none for a security key",
    file: "src/identity/factors/passkeys/login-commands.ts",
    change: [
      'const ceremony = "passkey-registration" as const;',
      'const ceremony = "registration" as const;',
    ],
    in: passkeys,
    test: "of a security key to its own page",
  },
  {
    name: "account: a new factor gives the session another value",
    file: "src/sites/account/settle-factor.ts",
    change: ["return await renewSessionValue(tx, context, { ...session, issuer });", 'return "";'],
    in: "test/sites/account/factors.test.ts",
    test: "another value",
  },
];

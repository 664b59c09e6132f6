import type { Guard } from "./guards.ts";

const hostile = "test/sites/login/hostile.test.ts";
const login = "test/sites/login/login.test.ts";
const pages = "test/sites/login/pages.test.ts";
const register = "test/sites/login/register.test.ts";
const interactions = "test/identity/logins/interactions/repository.test.ts";
const head = "test/sites/login/head.test.ts";
const waiting = "test/sites/login/waiting-logins.test.ts";

/** What keeps a login in the browser of the user who makes it. */
export const loginGuards: readonly Guard[] = [
  {
    name: "login: an interaction that an older version has ended gives nothing again",
    file: "src/sites/login/flow/interaction-store.ts",
    changes: [['content.ended ?? (isEnded === true ? "signed-in" : undefined)', "content.ended"]],
    in: "test/sites/login/interaction-store.test.ts",
    test: "has not begun again",
  },
  {
    name: "login: HEAD does not do what GET of an application's request does",
    file: "src/kernel/http/pages.ts",
    changes: [["handlers.GET !== undefined && !hasEffects", "handlers.GET !== undefined"]],
    in: head,
  },
  {
    name: "login: HEAD does not use an answer of SAML up",
    file: "src/sites/saml/sites.ts",
    changes: [['verbs: ["GET"], page', 'verbs: ["GET", "HEAD"], page']],
    in: head,
    test: "waits for GET",
  },
  {
    name: "login: a login that shows a page takes a place of the network",
    file: "src/sites/login/flow/go-on.ts",
    changes: [
      [
        "await storeNewInteraction(ports.context, tx, { interaction, cookie, exchange });",
        "await storeInteraction(ports.context, tx, { interaction, cookie });",
      ],
    ],
    in: waiting,
  },
  {
    name: "login: what another page embeds begins no login",
    file: "src/sites/login/flow/interaction-store.ts",
    changes: [["  requireVisit(exchange);\n", ""]],
    in: waiting,
    test: "embeds",
  },
  {
    name: "login: what another page embeds begins no logout",
    file: "src/sites/oidc/endpoints/end-session.ts",
    changes: [["  requireVisit(exchange);\n", ""]],
    in: waiting,
    test: "embeds",
  },
  {
    name: "login: a frame in a page of another site is no visit",
    file: "src/kernel/http/exchanges/navigation.ts",
    changes: [[' && exchange.header("sec-fetch-site") !== "cross-site"', ""]],
    in: waiting,
    test: "embeds",
  },
  {
    name: "login: interactions go with the organization of their application",
    file: "src/identity/logins/interactions/repository.ts",
    changes: [['await removeWhere(tx, "application_organization_id = ?", [aggregateId]);', ""]],
    in: interactions,
    test: "of the organization that it is in",
  },
  {
    name: "login: a login that was cancelled does not go on",
    file: "src/sites/login/flow/go-on.ts",
    changes: [["if (!isNew) await storeInteraction(ports.context, tx, { interaction: ended, cookie });", ""]],
    in: "test/sites/login/login.test.ts",
    test: "knows nothing of who cancels",
  },
  {
    name: "login: one code for each, however often its form is sent",
    file: "src/sites/login/flow/visits.ts",
    changes: [["if (interaction.ended !== undefined) throw new PageRefusal(interaction.ended);", ""]],
    in: "test/sites/login/hostile.test.ts",
    test: "sent twice at once|however often it is sent",
  },
  {
    name: "login: the way back is registered",
    file: "src/sites/oidc/login/login-protocol.ts",
    changes: [
      ["|| !isRedirectUriRegistered(client.settings, data.redirectUri)) return home;", ") return home;"],
    ],
    in: "test/sites/oidc/authorize.test.ts",
    test: "is registered",
  },
  {
    name: "login: an interaction is of the browser that has its cookie",
    file: "src/identity/logins/interactions/repository.ts",
    changes: [["WHERE id = ? AND cookie_hash = ?", "WHERE id = ? AND ? <> ''"]],
    in: hostile,
    test: "of the browser that has its cookie",
  },
  {
    name: "login: an interaction ends with its time",
    file: "src/identity/logins/interactions/repository.ts",
    changes: [["AND expiration_ms > ?`", "AND expiration_ms + ? > 0`"]],
    in: hostile,
    test: "ends after 15 minutes",
  },
  {
    name: "login: an interaction ends when the password of its user is changed",
    file: "src/identity/logins/interactions/repository.ts",
    changes: [['    "user.password.set": removeInteractionsUntil,\n', ""]],
    in: login,
    test: "password was changed",
  },
  {
    name: "login: a form has the token of its interaction",
    file: "src/sites/login/form-token.ts",
    changes: [["|| !equalBytes(given, toFormToken(cookie))", "|| given.length === 1"]],
    in: hostile,
    test: "another token|another interaction",
  },
  {
    name: "login: a form comes from our own page",
    file: "src/sites/login/form-token.ts",
    changes: [['if (site !== undefined && site !== "same-origin" && site !== "none")', 'if (site === "")']],
    in: hostile,
    test: "from another",
  },
  {
    name: "login: a form is that of the next step",
    file: "src/sites/login/flow/visits.ts",
    changes: [
      ["return (await findNextStep(tx, state))?.page === insteadOf;", "return state.issuer !== insteadOf;"],
    ],
    in: hostile,
    test: "no form of another step",
  },
  {
    name: "login: a user who was deactivated does not get in by a page that is open",
    file: "src/sites/login/login-users.ts",
    changes: [['|| user.state !== "ACTIVE" ||', "||"]],
    in: login,
    test: "deactivated while the page is open",
  },
  {
    name: "login: an interaction rests on a session only while it holds",
    file: "src/sites/login/flow/read-state.ts",
    changes: [
      ["const isGone = isSessionGone || ", "const isGone = "],
      ["if (isFirstFactorAllowed(state) && ", "if ("], // which finds nothing that was proved without the session
    ],
    in: login,
    test: "as long as it holds",
  },
  {
    name: "login: a session of another organization does not count",
    file: "src/sites/login/flow/read-state.ts",
    changes: [["organizationId === user.organization.id ? user", "organizationId !== '' ? user"]],
    in: login,
    test: "of another organization",
  },
  {
    name: "login: only the user who is asked for gets in",
    file: "src/sites/login/flow/go-on.ts",
    changes: [["request.subject !== userId", "request.subject === ''"]],
    in: login,
    test: "than the one that is asked for",
  },
  {
    name: "login: the session of another user ends",
    file: "src/sites/login/flow/finish.ts",
    changes: [["events: [...begun.events, ...ended]", "events: [...begun.events, ...ended.slice(1)]"]],
    in: login,
    test: "of one user ends when another",
  },
  {
    name: "login: only the account that was shown is used",
    file: "src/sites/login/pages/account.ts",
    changes: [["if (session?.session.id !== sessionId) return", "if (session === undefined) return"]],
    in: login,
    test: "between the accounts that were shown",
  },
  {
    name: "login: an application of another organization is confirmed",
    file: "src/sites/login/steps/confirm-application.ts",
    changes: [
      ["if (!isAsked && (await findConsentStanding(tx, parties, gift)) !== undefined)", "if (!isAsked)"],
    ],
    in: login,
    test: "is confirmed once",
  },
  {
    name: "login: a cookie that is there twice is worth nothing",
    file: "src/sites/login/cookies/cookies.ts",
    changes: [["|| values.length > 1 ||", "||"]],
    in: hostile,
    test: "two of them",
  },
  {
    name: "login: pages escape texts",
    file: "src/sites/login/markup/html.ts",
    changes: [["return escape(String(value));", "return String(value) || escape('');"]],
    in: pages,
    test: "escapes",
  },
  {
    name: "login: no page may be framed",
    file: "src/sites/login/layout.ts",
    changes: [['"x-frame-options": "DENY",', ""]],
    in: pages,
    test: "keep it to itself",
  },
  {
    name: "login: no session is fresh enough for max_age=0",
    file: "src/sites/login/session-use.ts",
    changes: [[" || maxAgeSeconds === 0", ""]],
    in: "test/sites/login/session-use.test.ts",
    test: "max_age=0",
  },
  {
    name: "registration: nobody registers where the policy does not say so",
    file: "src/identity/policies/login-policy.ts",
    changes: [["return policy.allowRegistration && policy.allowPassword;", "return policy.allowPassword;"]],
    in: register,
    test: "are 404: by the policy",
  },
  {
    name: "registration: nobody chooses a password that they may not use",
    file: "src/identity/policies/login-policy.ts",
    changes: [
      ["return policy.allowRegistration && policy.allowPassword;", "return policy.allowRegistration;"],
    ],
    in: register,
    test: "are 404: because passwords are not allowed",
  },
  {
    name: "registration: a username is given to one",
    file: "src/identity/people/registrations/commands.ts",
    changes: [["if (await isUsernameTaken(tx, registrant.username)) return undefined;", ""]],
    in: register,
    test: "gives a name that two ask for at once",
  },
  {
    name: "registration: it does not tell that too much was mailed to an address",
    file: "src/identity/people/registrations/commands.ts",
    changes: [['["RATE_LIMITED", "OVERLOADED"]', '["OVERLOADED"]']],
    in: register,
    test: "no more mails go to an address",
  },
  {
    name: "registration: nobody registers in place of a certain user",
    file: "src/sites/login/registration-offer.ts",
    changes: [[" || interaction.request.subject !== undefined", ""]],
    in: register,
    test: "only a certain user",
  },
  {
    name: "registration: prompt=create needs the policy",
    file: "src/sites/oidc/endpoints/authorize.ts",
    changes: [['if (!prompts.includes("create")) return true;', "if (prompts.length < 9) return true;"]],
    in: "test/sites/oidc/authorize.test.ts",
    test: "prompt=create",
  },
  {
    name: "login: no password is looked at where the policy allows none",
    file: "src/sites/login/pages/password.ts",
    changes: [["if (!state.policy.allowPassword)", 'if (issuer === "")']],
    in: "test/sites/login/ways.test.ts",
    test: "looks at no password",
  },
  {
    name: "login: a session that a password began is worth nothing where none is allowed",
    file: "src/sites/login/flow/read-state.ts",
    changes: [[": [policy, user.policy];", ": [user.policy];"]],
    in: "test/sites/login/ways.test.ts",
    test: "by a session",
  },
  {
    name: "login: passwords must be allowed by the user's policy to the end",
    file: "src/sites/login/flow/read-state.ts",
    changes: [[": [policy, user.policy];", ": [policy];"]],
    in: "test/sites/login/ways.test.ts",
    test: "while the login goes on",
  },
];

import type { Guard } from "./guards.ts";

const ofAddresses = "test/features/memberships/email-judgement.test.ts";
const ofLineages = "test/features/memberships/login-lineage.test.ts";

/** Who answers for what is set in a login that somebody else could have made. */
export const lineageGuards: readonly Guard[] = [
  {
    name: "lineage: of links",
    file: "src/features/users/login-origins/repository.ts",
    changes: [["FROM idp_links WHERE user_id = ? ORDER", "FROM idp_links WHERE user_id = ? AND 1 = 0 ORDER"]],
    in: ofLineages,
    test: "somebody else who made a link answers for it all",
  },
  {
    name: "lineage: of passkeys",
    file: "src/features/users/login-origins/repository.ts",
    changes: [["state = 'READY' AND", "state = 'NOT_READY' AND"]],
    in: ofLineages,
    test: "in a login by PASSKEY that others could have made: TOTP is",
  },
  {
    name: "lineage: of what is registered by WebAuthn",
    file: "src/features/users/authenticators/commands.ts",
    changes: [["await findOwnLoginOrigin(tx, call, found.userId)", "undefined"]],
    in: ofLineages,
    test: "U2F is asked about",
  },
  {
    name: "lineage: of a security key that a page registers",
    file: "src/features/users/authenticators/login-registration.ts",
    changes: [["await findLoginOrigin(tx, { userId: user.id, methods })", "undefined"]],
    in: ofLineages,
    test: "U2F at a page",
  },
  {
    name: "lineage: of an app",
    file: "src/features/users/totp/commands.ts",
    changes: [["await findOwnLoginOrigin(tx, call, user.id)", "undefined"]],
    in: ofLineages,
    test: "TOTP is asked about",
  },
  {
    name: "lineage: of an app that a page sets up",
    file: "src/features/users/totp/login-commands.ts",
    changes: [["await findLoginOrigin(tx, login)", "undefined"]],
    in: ofLineages,
    test: "TOTP at a page",
  },
  {
    name: "lineage: of recovery codes",
    file: "src/features/users/recovery-codes/commands.ts",
    changes: [["await findOwnLoginOrigin(tx, call, user.id)", "undefined"]],
    in: ofLineages,
    test: "RECOVERY_CODES is",
  },
  {
    name: "lineage: of an address",
    file: "src/features/users/emails/commands.ts",
    changes: [["await findOwnLoginOrigin(tx, call, user.id)", "undefined"]],
    in: ofLineages,
    test: "an address by SetEmail",
  },
  {
    name: "lineage: of an address in a profile",
    file: "src/features/users/user/commands.ts",
    changes: [
      [
        "await findOwnLoginOrigin(command.tx, call, user.id)",
        "undefined as Awaited<ReturnType<typeof findOwnLoginOrigin>>",
      ],
    ],
    in: ofLineages,
    test: "an address by UpdateHumanUser",
  },
  {
    name: "lineage: of an identity that is linked at a page",
    file: "src/login/pages/link-identity.ts",
    changes: [["await findLoginOrigin(tx, { userId: user.id, methods: state.methods })", "undefined"]],
    in: "test/login/identity-links.test.ts",
    test: "answers for the link",
  },
  {
    name: "lineage: a questioned passkey ends sessions",
    file: "src/features/memberships/first-factor-judgement.ts",
    changes: [["    ...(await questionPasskeys(tx, gain)),\n", ""]],
    in: ofLineages,
    test: "in a login by PASSKEY the session ends",
  },
  {
    name: "lineage: a way of others that is removed ends sessions",
    file: "src/features/users/login-origins/commands.ts",
    changes: [["if (creator === undefined || creator", "if (creator !== undefined || creator"]],
    in: ofLineages,
    test: "in a login by PASSKEY the session ends",
  },
  {
    name: "lineage: of a mailed code, by its address",
    file: "src/features/users/passwords/reset-request.ts",
    changes: [['creator === user.id || creator === "system" ?', 'creator !== "" ?']],
    in: ofAddresses,
    test: "at an address vouched for by others",
  },
  {
    name: "lineage: of a mailed code, by its page",
    file: "src/features/users/passwords/reset-commands.ts",
    changes: [["isOwn ? undefined : call.caller", "undefined"]],
    in: ofAddresses,
    test: "if others chose the page",
  },
  {
    name: "lineage: of a mailed code, by whoever holds less",
    file: "src/features/users/passwords/reset-request.ts",
    changes: [[", held) === undefined", ", held) !== null"]],
    in: ofAddresses,
    test: "whoever chose the page",
  },
  {
    name: "lineage: an address of others gets no code",
    file: "src/features/users/passwords/reset-request.ts",
    changes: [[" || creator === undefined) throw codeNotPending", ") throw codeNotPending"]],
    in: ofAddresses,
    test: "that was verified",
  },
  {
    name: "lineage: of a login at an identity provider alone",
    file: "src/features/users/login-origins/repository.ts",
    changes: [["let isByProvider = isByProviderAlone(methods);", "let isByProvider = false;"]],
    in: ofLineages,
    test: "questions what was set",
  },
  {
    name: "lineage: a holder of roles does not stand in for the identity provider",
    file: "src/features/users/login-origins/repository.ts",
    changes: [
      ["return isByProvider ? provider : holder;", "return holder ?? (isByProvider ? provider : undefined);"],
    ],
    in: ofLineages,
    test: "questions what was set",
  },
  {
    name: "lineage: an identity provider gives no roles on the instance",
    file: "src/features/memberships/token-judgement.ts",
    changes: [['return scope.kind !== "instance"', "return true"]],
    in: ofLineages,
    test: "does not carry roles on the instance",
  },
  {
    name: "lineage: sessions by an identity provider alone end",
    file: "src/features/memberships/first-factor-judgement.ts",
    changes: [["return isOnInstance(gain) ?", "return !isOnInstance(gain) ?"]],
    in: ofLineages,
    test: "what came of it end at a gain on the instance",
  },
  {
    name: "lineage: authorizations by an identity provider alone end",
    file: "src/features/authorizations/end-logins.ts",
    changes: [["  await endAuthorizationsByProvider(tx, userId);\n", ""]],
    in: ofLineages,
    test: "what came of it end at a gain on the instance",
  },
  {
    name: "lineage: of an app that is not ready",
    file: "src/features/users/authenticators/repository.ts",
    changes: [
      ["WHERE f.user_id = ? AND f.creator", "WHERE f.user_id = ? AND f.state = 'READY' AND f.creator"],
    ],
    in: ofLineages,
    test: "though it is completed after the gain",
  },
  {
    name: "lineage: open registrations end",
    file: "src/features/memberships/first-factor-judgement.ts",
    changes: [["await endOpenRegistrations(tx, gain.userId)", "void tx"]],
    in: ofLineages,
    test: "cannot be completed after the gain",
  },
];

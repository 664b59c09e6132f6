import type { Guard } from "./guards.ts";

const ofLogins = "test/sites/login/identities.test.ts";
const ofRoles = "test/sites/login/own-factor.test.ts";
const ofLinks = "test/sites/login/identity-links.test.ts";
const ofCommands = "test/identity/people/identity-links/commands.test.ts";
const ofQuestions = "test/identity/memberships/questioned-ways.test.ts";
const ofRemovals = "test/sites/federation/removals.test.ts";
const sessionLinks = "src/identity/logins/sessions/session-link-repository.ts";
const linkIdentityPage = "src/sites/login/pages/link-identity.ts";
const takeIdentity = "src/sites/login/external/take-identity.ts";

/** Links to identities at identity providers, and what becomes of an identity at a login. */
export const identityGuards: readonly Guard[] = [
  {
    name: "identity: the issuer is part of it",
    file: takeIdentity,
    change: ["link?.issuer === identity.issuer ? link : undefined", "link"],
    in: ofLogins,
    test: "at another issuer",
  },
  {
    name: "identity: the provider is offered",
    file: "src/sites/login/external/offered-providers.ts",
    change: ["return active.filter(({ id }) => listed.has(id));", "return listed.size < 0 ? [] : active;"],
    in: ofLogins,
    test: "does not list",
  },
  {
    name: "identity: a login holds only while the link does",
    file: "src/sites/login/flow/read-state.ts",
    change: ["await requireIdentityHolds(tx, state);", ""],
    in: ofLogins,
    test: "removed meanwhile",
  },
  {
    name: "identity: a link in question lets nobody in",
    file: takeIdentity,
    change: ["if (link.isQuestioned) throw", "if (false) throw"],
    in: ofLogins,
    test: "until the user keeps it",
  },
  {
    name: "identity: whoever goes another way is not logged in with it any more",
    file: "src/sites/login/external/identity-note.ts",
    change: [": startOver(interaction);", ": forgetIdentity(interaction);"],
    in: ofLogins,
    test: "still needs a factor",
  },
  {
    name: "identity: a link takes the passkey that the user has",
    file: "src/sites/login/steps/passkey.ts",
    change: ["(isLinking || isSecondFactorForced(state))", "(isLinking && isSecondFactorForced(state))"],
    in: ofLinks,
    test: "after the passkey",
  },
  {
    name: "identity: a role on the instance needs a factor of ours",
    file: "src/identity/held-roles/outside.ts",
    change: ['scope.kind === "instance" ||', 'scope.kind !== "instance" &&'],
    in: ofRoles,
    test: "role on the instance, who may",
  },
  {
    name: "identity: a role on what belongs to others needs a factor of ours",
    file: "src/identity/held-roles/outside.ts",
    change: [" || scope.organizationId !== organizationId", ""],
    in: ofRoles,
    test: "is not enough for a user with a role on a",
  },
  {
    name: "identity: a login at a provider alone gives no roles outside",
    file: "src/sites/login/steps/own-factor.ts",
    change: ["return holdsOutside(", "return !holdsOutside("],
    in: ofRoles,
    test: "is not enough for a user with a role on a",
  },
  {
    name: "identity: the organization of the user allows providers",
    file: "src/sites/login/flow/read-state.ts",
    change: [": [policy, user.policy];", ": [policy];"],
    in: ofRoles,
    test: "the organization of the user allows no providers",
  },
  {
    name: "identity: what the provider says cannot be typed",
    file: "src/sites/login/pages/new-identity.ts",
    changes: [
      ["email: known.email || typed.email", "email: typed.email || known.email"],
      [
        "familyName: known.familyName || typed.familyName",
        "familyName: typed.familyName || known.familyName",
      ],
    ],
    in: ofLogins,
    test: "for nothing that it says",
  },
  {
    name: "identity: no account without auto_register",
    file: "src/sites/login/external/new-identity.ts",
    change: ["mayCreate: provider.autoRegister && subject", "mayCreate: subject"],
    in: ofLogins,
    test: "gets no account",
  },
  {
    name: "identity: an unverified email stays so",
    file: "src/sites/login/external/register-identity.ts",
    change: ["claims.emailVerified && claims.email === profile.email", "claims.email === profile.email"],
    in: ofLogins,
    test: "gets an unverified email",
  },
  {
    name: "link: for a user of the organization that owns the provider",
    file: linkIdentityPage,
    change: ["isProviderOfUser(provider, user) && isFree", "isFree"],
    in: ofLinks,
    test: "of another organization than",
  },
  {
    name: "link: for the user who alone may log in",
    file: linkIdentityPage,
    change: ["isLoggedIn && isMeant &&", "isLoggedIn &&"],
    in: "test/sites/login/certain-user.test.ts",
    test: "nobody else who logs in",
  },
  {
    name: "link: of an identity that nobody has",
    file: linkIdentityPage,
    change: ["isProviderOfUser(provider, user) && isFree;", "isProviderOfUser(provider, user);"],
    in: ofLinks,
    test: "somebody else has linked meanwhile",
  },
  {
    name: "link: after the second factor that the user has",
    file: "src/sites/login/steps/second-factor.ts",
    change: [
      "!isMultiFactor(state.methods) && (await listKinds(tx, state)).length > 0,",
      "!isMultiFactor(state.methods) && isSecondFactorForced(state) && (await listKinds(tx, state)).length > 0,",
    ],
    in: ofLinks,
    test: "after all factors that the user has",
  },
  {
    name: "link: not by any user's email where the policy says NEVER",
    file: "src/sites/login/external/new-identity.ts",
    change: ['policy.linkByVerifiedEmail === "ASK" &&', ""],
    in: "test/sites/login/external/new-identity.test.ts",
    test: "as the policy says NEVER",
  },
  {
    name: "link: made in the organization that owns the provider",
    file: "src/identity/people/identity-links/commands.ts",
    change: ["if (!isProviderOfUser(provider, user)) throw", "if (false) throw"],
    in: ofCommands,
    test: "in a login, too",
  },
  {
    name: "link: after a login in the same interaction",
    file: linkIdentityPage,
    change: ["const isLoggedIn = sessionId === undefined;", "const isLoggedIn = sessionId !== null;"],
    in: ofLinks,
    test: "the session of the browser",
  },
  {
    name: "link: never by oneself over the API",
    file: "src/identity/people/identity-links/commands.ts",
    change: ["if (userId === begun.caller.userId) throw", "if (false) throw"],
    in: ofCommands,
    test: "never for oneself",
  },
  {
    name: "link: removed by the user only after a login",
    file: "src/identity/people/identity-links/commands.ts",
    change: ["await requireRecentLogin(tx, call, context);", ";"],
    in: ofCommands,
    test: "ten minutes",
  },
  {
    name: "link: those of others are put in question",
    file: "src/identity/memberships/question-links.ts",
    change: ["return await isCarriedByMaker(tx, link, gain);", "return gain.gained.length >= 0;"],
    in: ofQuestions,
    test: "what others without the roles",
  },
  {
    name: "identity: what was begun with a removed link ends",
    file: sessionLinks,
    change: ["WHERE id = ? AND state = 'ACTIVE' AND", "WHERE id = ? AND state = '' AND"],
    in: ofRemovals,
    test: "what was begun with it alone",
  },
  {
    name: "identity: tokens of a removed link end",
    file: "src/identity/logins/authorizations/repository.ts",
    change: [
      "WHERE session_id = ? AND creation_date <= ? AND",
      "WHERE session_id = ? AND creation_date < -? AND",
    ],
    in: ofRemovals,
    test: "what was begun with it alone",
  },
  {
    name: "identity: applications hear of the end of what was begun with a removed link",
    file: "src/identity/protocol-state/logout-notices/repository.ts",
    change: ['(id) => addNotices(tx, "session_id", id, endsWithLink)', "async () => {}"],
    in: ofRemovals,
    test: "what was begun with it alone",
  },
  {
    name: "identity: a login of which no link is known may be by any",
    file: "src/identity/logins/sessions/repository.ts",
    change: [
      'if (payload.methods.includes("IDP")) await',
      'if (payload.methods.includes("IDP") && payload.link_id !== undefined) await',
    ],
    in: ofRemovals,
    test: "no link was recorded",
  },
  {
    name: "identity: a factor in question is no factor of ours",
    file: "src/sites/login/steps/own-factor.ts",
    change: [
      "if (isMultiFactor(methods) && !(await restsOnQuestioned(tx, state)))",
      "if (isMultiFactor(methods))",
    ],
    in: "test/sites/login/gained-roles.test.ts",
    test: "still to decide about",
  },
  {
    name: "logins: none that is under way ends once its user has gained roles",
    file: "src/identity/memberships/stop-known-logins.ts",
    change: ["    await removeInteractionsOfUser(tx, gain.userId);\n", ""],
    in: "test/sites/login/gained-roles.test.ts",
    test: "on the instance",
  },
  {
    name: "identity: nobody gets an account where only a certain user may log in",
    file: "src/sites/login/external/new-identity.ts",
    change: ["provider.autoRegister && subject === undefined", "provider.autoRegister"],
    in: "test/sites/login/certain-user.test.ts",
    test: "gets no account",
  },
  {
    name: "identity: no login of another user comes first than that of the certain one",
    file: "src/sites/login/external/new-identity.ts",
    change: ["match !== undefined &&\n      !isOther", "match !== undefined"],
    in: "test/sites/login/certain-user.test.ts",
    test: "and of no other",
  },
];

import type { Guard } from "./guards.ts";

const login = "test/sites/login/login.test.ts";

/** What keeps applications from what nobody gave them: who connects them with users, what was confirmed, whom tokens are for. */
export const consentGuards: readonly Guard[] = [
  {
    name: "login: the owner of an application connects nobody with it",
    file: "src/identity/user-grants/effective-role-repository.ts",
    change: ["= ? OR g.held_at_home = 1)", "= ? OR g.held_at_home = 1 OR TRUE)"],
    in: "test/sites/oidc/consent.test.ts",
    test: "not its owner",
  },
  {
    name: "login: a confirmation covers no more than its page showed",
    file: "src/identity/logins/authorizations/standing.ts",
    change: ["isCovered(gift, confirmed) ?", "confirmed !== undefined || isCovered(gift, confirmed) ?"],
    in: login,
    test: "asks again for what it did not show",
  },
  {
    name: "login: a form confirms only what its page showed",
    file: "src/sites/login/pages/confirm.ts",
    change: ["if (toDigest(gift) !== shown) return { interaction: state.interaction };", ""],
    in: login,
    test: "confirms nothing that the page did not show",
  },
  {
    name: "login: a project besides the own one takes a page",
    file: "src/identity/logins/authorizations/standing.ts",
    change: ["if (listProjectsOf(gift).length === 0) {", "{"],
    in: "test/sites/oidc/consent.test.ts",
    test: "also at home",
  },
  {
    name: "tokens: are for no project that the client does not reach",
    file: "src/sites/oidc/tokens/reach.ts",
    change: ["lost: asked.filter((id) => !left.includes(id))", "lost: []"],
    in: "test/sites/oidc/consent.test.ts",
    test: "are not those of others",
  },
  {
    name: "tokens: a granted project is for users of the organization that has it",
    file: "src/sites/oidc/tokens/reach.ts",
    change: ["roleKeys === undefined || homeId === organizationId", "true"],
    in: "test/sites/oidc/consent.test.ts",
    test: "are not those of others",
  },
  {
    name: "tokens: what a user has not confirmed is not told later",
    file: "src/sites/oidc/tokens/read-told-claims.ts",
    change: ['if (consent?.kind !== "confirmation") return chosen;', "return chosen;"],
    in: "test/sites/oidc/consent.test.ts",
    test: "is what the page showed",
  },
  {
    name: "tokens: a lost connection ends what rests on it",
    file: "src/sites/oidc/tokens/issue-for-authorization.ts",
    change: ["if (!(await isStillConnected(tx, authorization, client)))", "if (false)"],
    in: "test/sites/oidc/consent.test.ts",
    test: "by a grant of its own",
  },
];

import type { Guard } from "./guards.ts";

const outside = "test/sites/oidc/back-channel-logout.test.ts";
const rounds = "test/sites/oidc/back-channel/notice-rounds.test.ts";
const stored = "test/identity/protocol-state/logout-notices/repository.test.ts";
const repository = "src/identity/protocol-state/logout-notices/repository.ts";
const notice = "src/identity/protocol-state/logout-notices/logout-notice.ts";
const resolving = "test/kernel/outbound/resolve-host.test.ts";
const places = "src/sites/oidc/back-channel/places.ts";

/** What keeps applications from hearing of too much, too often or too little, and others from waiting for them. */
export const logoutGuards: readonly Guard[] = [
  {
    name: "logouts: a rebuild tells nobody",
    file: "src/kernel/events/event-log.ts",
    changes: [["await replay(tx, await decodeEvent", "await apply(tx, await decodeEvent"]],
    in: stored,
    test: "tells nobody a second time",
  },
  {
    name: "logouts: a rebuild tells nobody of removed organizations",
    file: "src/kernel/events/event-log.ts",
    changes: [["while (await sweepReplayed(", "while (await sweep("]],
    in: stored,
    test: "tells nobody of users who were removed",
  },
  {
    name: "logouts: the rows of removed organizations are swept with what follows",
    file: "src/kernel/events/event-log.ts",
    changes: [["createSweep(projections, apply)", "createSweep(projections, replay)"]],
    in: stored,
    test: "tells nobody of users who were removed",
  },
  {
    name: "logouts: nobody takes part in a session that has ended",
    file: repository,
    changes: [["FROM sessions WHERE id = ? AND state = 'ACTIVE'", "FROM sessions WHERE id = ?"]],
    in: stored,
    test: "takes no part in a session that has ended",
  },
  {
    name: "logouts: a lock by wrong passwords ends no session",
    file: repository,
    changes: [["if (payload.cause === undefined) await addNotices", "await addNotices"]],
    in: outside,
    test: "is neither a lock by wrong passwords",
  },
  {
    name: "logouts: a claim is given once",
    file: repository,
    changes: [["AND tries = ? AND next_ms = ?", "AND ? >= 0 AND ? >= 0"]],
    in: stored,
    test: "is given once for what was read",
  },
  {
    name: "logouts: a claim that was taken over removes nothing",
    file: repository,
    changes: [
      [
        "DELETE FROM logout_notices WHERE session_id = ? AND application_id = ? AND tries = ?",
        "DELETE FROM logout_notices WHERE session_id = ? AND application_id = ? AND tries >= ?",
      ],
    ],
    in: stored,
    test: "that was taken over changes nothing any more",
  },
  {
    name: "logouts: a process that was held up sends nothing",
    file: "src/sites/oidc/back-channel/deliver-notice.ts",
    changes: [["!isInTime(notice, clock.nowMs())", "clock.nowMs() < 0"]],
    in: rounds,
    test: "held up for so long",
  },
  {
    name: "logouts: a process that was held up thinks of clocks that are ahead",
    file: notice,
    changes: [["nowMs + tryMs + clockDifferenceMs <= nextMs", "nowMs + tryMs <= nextMs"]],
    in: rounds,
    test: "held up for so long",
  },
  {
    name: "logouts: a claim lasts longer than clocks differ",
    file: notice,
    changes: [["preparationMs + tryMs + clockDifferenceMs;", "preparationMs + tryMs;"]],
    in: "test/identity/protocol-state/logout-notices/logout-notice.test.ts",
    test: "whose clock is two minutes ahead",
  },
  {
    name: "logouts: a session that has ended does not end again",
    file: repository,
    changes: [[" AND x.state = 'ACTIVE'", ""]],
    in: stored,
    test: "whose row an older process has left",
  },
  {
    name: "logouts: there are three tries",
    file: notice,
    changes: [["return tries > pausesMs.length;", "return tries > 100;"]],
    in: rounds,
    test: "give up a notice whose last try has died",
  },
  {
    name: "logouts: an inactive application hears nothing",
    file: repository,
    changes: [["AND a.state = 'ACTIVE' AND p.state = 'ACTIVE' AND o.state = 'ACTIVE'", ""]],
    in: outside,
    test: "when it is (inactive|of an inactive project)",
  },
  {
    name: "logouts: a host has four places",
    file: places,
    changes: [["const maxPerHost = 4;", "const maxPerHost = 400;"]],
    in: rounds,
    test: "has four tries under way at most",
  },
  {
    name: "logouts: an organization has sixteen places",
    file: places,
    changes: [["const maxPerOrganization = 16;", "const maxPerOrganization = 400;"]],
    in: rounds,
    test: "does not give its organization more than 16 places",
  },
  {
    name: "logouts: a few organizations do not take all places",
    file: places,
    changes: [["const maxPerOrganizationBeyondHalf = 4;", "const maxPerOrganizationBeyondHalf = 400;"]],
    in: "test/sites/oidc/back-channel/places.test.ts",
    test: "leave places to many others",
  },
  {
    name: "logouts: a logout token is no ID token",
    file: "src/sites/oidc/back-channel/logout-token.ts",
    changes: [['logoutTokenType = "logout+jwt"', 'logoutTokenType = "JWT"']],
    in: outside,
    test: "is nothing for our own endpoints",
  },
  {
    name: "logouts: a redirect is no delivery",
    file: "src/sites/oidc/back-channel/deliver-notice.ts",
    changes: [["status === 200 || status === 204", "status < 500"]],
    in: outside,
    test: "is judged by the status alone",
  },
  {
    name: "logouts: the URI is one that the guarded fetch allows",
    file: "src/identity/applications/oidc/rpc.ts",
    changes: [
      ["(redirectUriViolation(uri, rule) ?? fetchRules.violationOf(uri))", "redirectUriViolation(uri, rule)"],
    ],
    in: "test/identity/applications/oidc/rpc.test.ts",
    test: "is refused with a private address",
  },
  {
    name: "logouts: a post goes to no forbidden host",
    file: "src/kernel/outbound/guarded-fetch.ts",
    changes: [['if (message !== undefined) return { kind: "forbidden", message };', ""]],
    in: "test/kernel/outbound/guarded-post.test.ts",
    test: "on loopback",
  },
  {
    name: "fetches: names that callers give take no thread",
    file: "src/kernel/outbound/guarded-fetch.ts",
    changes: [["createDnsLookup(options.openResolver ?? openSystemResolver)", "lookUpBySystem"]],
    in: resolving,
    test: "asks DNS servers, while four names hang",
  },
  {
    name: "fetches: a look-up ends with its fetch",
    file: "src/kernel/outbound/resolve-host.ts",
    changes: [['signal.addEventListener("abort", cancel);', ""]],
    in: resolving,
    test: "are given up by the signal",
  },
  {
    name: "fetches: names of the operator are looked up on this machine",
    file: "src/kernel/outbound/connection.ts",
    changes: [["setup.rules.isNear(url) ? setup.resolveNear : setup.resolve", "setup.resolve"]],
    in: resolving,
    test: "asks the operating system for loopback names",
  },
  {
    name: "logouts: what two processes give up is recorded once",
    file: "src/identity/protocol-state/logout-notices/commands.ts",
    changes: [["if (!(await removeNotice(tx, notice))) continue;", "await removeNotice(tx, notice);"]],
    in: "test/identity/protocol-state/logout-notices/commands.test.ts",
    test: "two processes give up the same",
  },
  {
    name: "logouts: what is given up is recorded",
    file: "src/sites/oidc/back-channel/deliver-notice.ts",
    changes: [['else if (tried.kind === "failed")', "else if (nextMs === 0)"]],
    in: rounds,
    test: "leaves an event with the cause",
  },
];

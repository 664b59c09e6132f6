import type { Guard } from "./guards.ts";

const outside = "test/sites/oidc/back-channel-logout.test.ts";
const rounds = "test/sites/oidc/back-channel/notice-rounds.test.ts";
const stored = "test/identity/protocol-state/logout-notices/repository.test.ts";
const repository = "src/identity/protocol-state/logout-notices/repository.ts";

/** What keeps applications from hearing of too much, too often or too little, and others from waiting for them. */
export const logoutGuards: readonly Guard[] = [
  {
    name: "logouts: a rebuild tells nobody",
    file: "src/kernel/events/event-log.ts",
    change: ["await replay(tx, await decodeEvent", "await apply(tx, await decodeEvent"],
    in: stored,
    test: "tells nobody a second time",
  },
  {
    name: "logouts: a rebuild tells nobody of removed organizations",
    file: "src/kernel/events/event-log.ts",
    change: ["while (await sweepReplayed(", "while (await sweep("],
    in: stored,
    test: "tells nobody of users who were removed",
  },
  {
    name: "logouts: the rows of removed organizations are swept with what follows",
    file: "src/kernel/events/event-log.ts",
    change: ["createSweep(projections, apply)", "createSweep(projections, replay)"],
    in: stored,
    test: "tells nobody of users who were removed",
  },
  {
    name: "logouts: nobody takes part in a session that has ended",
    file: repository,
    change: ["FROM sessions WHERE id = ? AND state = 'ACTIVE'", "FROM sessions WHERE id = ?"],
    in: stored,
    test: "takes no part in a session that has ended",
  },
  {
    name: "logouts: a lock by wrong passwords ends no session",
    file: repository,
    change: ["if (payload.cause === undefined) await addNotices", "await addNotices"],
    in: outside,
    test: "is neither a lock by wrong passwords",
  },
  {
    name: "logouts: a claim is given once",
    file: repository,
    change: ["AND tries = ? AND next_ms = ?", "AND ? >= 0 AND ? >= 0"],
    in: stored,
    test: "is given once for what was read",
  },
  {
    name: "logouts: a claim that was taken over removes nothing",
    file: repository,
    change: [
      "DELETE FROM logout_notices WHERE session_id = ? AND application_id = ? AND tries = ?",
      "DELETE FROM logout_notices WHERE session_id = ? AND application_id = ? AND tries >= ?",
    ],
    in: stored,
    test: "that was taken over changes nothing any more",
  },
  {
    name: "logouts: a process that was held up sends nothing",
    file: "src/sites/oidc/back-channel/deliver-notice.ts",
    change: ["!isInTime(notice, clock.nowMs())", "clock.nowMs() < 0"],
    in: rounds,
    test: "held up for so long",
  },
  {
    name: "logouts: an inactive application hears nothing",
    file: repository,
    change: ["AND a.state = 'ACTIVE' AND p.state = 'ACTIVE' AND o.state = 'ACTIVE'", ""],
    in: outside,
    test: "when it is (inactive|of an inactive project)",
  },
  {
    name: "logouts: a logout token is no ID token",
    file: "src/sites/oidc/back-channel/logout-token.ts",
    change: ['logoutTokenType = "logout+jwt"', 'logoutTokenType = "JWT"'],
    in: outside,
    test: "is nothing for our own endpoints",
  },
  {
    name: "logouts: a redirect is no delivery",
    file: "src/sites/oidc/back-channel/deliver-notice.ts",
    change: ["status === 200 || status === 204", "status < 500"],
    in: outside,
    test: "is judged by the status alone",
  },
  {
    name: "logouts: the URI is one that the guarded fetch allows",
    file: "src/identity/applications/oidc/rpc.ts",
    change: [
      "(redirectUriViolation(uri, rule) ?? fetchRules.violationOf(uri))",
      "redirectUriViolation(uri, rule)",
    ],
    in: "test/identity/applications/oidc/rpc.test.ts",
    test: "is refused with a private address",
  },
  {
    name: "logouts: a post goes to no forbidden host",
    file: "src/kernel/outbound/guarded-fetch.ts",
    change: ['if (message !== undefined) return { kind: "forbidden", message };', ""],
    in: "test/kernel/outbound/guarded-post.test.ts",
    test: "on loopback",
  },
];

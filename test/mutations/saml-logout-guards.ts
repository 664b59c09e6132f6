import type { Guard } from "./guards.ts";

const requests = "test/sites/saml/slo.test.ts";
const chains = "test/sites/saml/slo-chain.test.ts";
const names = "test/sites/saml/slo-names.test.ts";
const pages = "test/sites/saml/slo-pages.test.ts";
const decisions = "test/sites/saml/logout/chain.test.ts";
const stored = "test/identity/protocol-state/saml-logouts/repository.test.ts";
const chain = "src/sites/saml/logout/chain.ts";
const ending = "src/sites/saml/logout/end-sessions.ts";
const endpoint = "src/sites/saml/endpoints/slo.ts";
const receiving = "src/sites/saml/receiving/receive-message.ts";
const advance = "src/sites/saml/logout/advance.ts";
const response = "src/sites/saml/logout/take-response.ts";
const repository = "src/identity/protocol-state/saml-logouts/repository.ts";

/** What keeps others from ending sessions, and browsers from being sent through the applications of somebody else. */
export const samlLogoutGuards: readonly Guard[] = [
  {
    name: "saml logout: a request is signed",
    file: endpoint,
    change: [
      "...readLogoutRequest(document) }),\n    isSignatureRequired: () => true,",
      "...readLogoutRequest(document) }),\n    isSignatureRequired: () => false,",
    ],
    in: requests,
    test: "unsigned in a",
  },
  {
    name: "saml logout: an answer is signed",
    file: endpoint,
    change: [
      "...readLogoutResponse(document) }),\n    isSignatureRequired: () => true,",
      "...readLogoutResponse(document) }),\n    isSignatureRequired: () => false,",
    ],
    in: chains,
    test: "that nobody waits for",
  },
  {
    name: "saml logout: a bad signature is no signature",
    file: receiving,
    change: [
      'throw new SamlFault("signature", rule, algorithm === undefined ? {} : { algorithm });',
      "return true;",
    ],
    in: requests,
    test: "signed by another key",
  },
  {
    name: "saml logout: an application that is switched off is not heard",
    file: "src/sites/saml/parties/service-providers.ts",
    change: ["isActive ? toKnown(", "isActive !== undefined ? toKnown("],
    in: requests,
    test: "that is switched off",
  },
  {
    name: "saml logout: a message is for this path and this time",
    file: receiving,
    change: [
      "requireDelivered(message, { url: visit.url, isSigned, nowMs: ports.context.clock.nowMs() });",
      "",
    ],
    in: requests,
    test: "for another path|minutes|NotOnOrAfter",
  },
  {
    name: "saml logout: a name counts only for the application that knows it",
    file: "src/identity/logins/saml-participations/repository.ts",
    change: ["WHERE application_id = ? AND name_id_hash = ?", "WHERE ? <> '' AND name_id_hash = ?"],
    in: requests,
    test: "that another service provider knows",
  },
  {
    name: "saml logout: no transient name is given that is not remembered",
    file: "src/sites/saml/login/decide-login.ts",
    change: ["mustRepeatName(newName.format, count)", "count < 0"],
    in: names,
    test: "gets no transient name",
  },
  {
    name: "saml logout: a name is of all users who have it",
    file: ending,
    change: [
      "const active = await listActive(tx, named);",
      "const active = await listActive(tx, named.filter((each) => each.userId === latest.userId));",
    ],
    in: names,
    test: "without SessionIndex of both",
  },
  {
    name: "saml logout: only the browser of a session visits its applications",
    file: chain,
    change: ["chain.unproved.find((session) => session.valueHash === valueHash)", "chain.unproved.at(0)"],
    in: chains,
    test: "only in the browser of the session",
  },
  {
    name: "saml logout: an answer is of the application that was asked",
    file: chain,
    change: ["asked?.applicationId !== answer.applicationId || asked.requestId", "asked?.requestId"],
    in: decisions,
    test: "of another application",
  },
  {
    name: "saml logout: an answer is to the request that waits",
    file: chain,
    change: [" || asked.requestId !== answer.requestId) return", ") return"],
    in: decisions,
    test: "of another request|of no request",
  },
  {
    name: "saml logout: a request has one answer",
    file: chain,
    change: ["if (asked.isLoggedOut !== undefined) return undefined;", ""],
    in: decisions,
    test: "when one came before",
  },
  {
    name: "saml logout: an answer is of the browser that was sent",
    file: response,
    change: [
      'if (binding === "redirect" && (cookie === undefined || hashCookie(cookie) !== logout.cookieHash))',
      "if (false)",
    ],
    in: chains,
    test: "in another browser",
  },
  {
    name: "saml logout: a logout is found only with its cookie",
    file: repository,
    change: ["WHERE id = ? AND cookie_hash = ? AND", "WHERE id = ? AND ? <> '' AND"],
    in: stored,
    test: "is found by its cookie",
  },
  {
    name: "saml logout: no logout goes on after its time",
    file: repository,
    change: ["WHERE request_hash = ? AND expiration_ms > ?", "WHERE request_hash = ? AND ? > 0"],
    in: stored,
    test: "in time",
  },
  {
    name: "saml logout: a logout goes with the organization of its user",
    file: repository,
    change: ["await removeWhere(tx, ofUserOrganization, aggregateId);", ""],
    in: stored,
    test: "organization of its user",
  },
  {
    name: "saml logout: a logout goes with the organization of its application",
    file: repository,
    change: ["await removeWhere(tx, ofApplicationOrganization, aggregateId);", ""],
    in: stored,
    test: "organization of its application",
  },
  {
    name: "saml logout: whoever answers no is not taken for logged out",
    file: chain,
    change: ["(asked !== undefined && asked.isLoggedOut !== true)", "false"],
    in: decisions,
    test: "not ended it",
  },
  {
    name: "saml logout: an application that is left out is not asked",
    file: advance,
    change: ["!application.saml.settings.isLogoutDisabled && ", ""],
    in: chains,
    test: "past those who cannot be asked",
  },
  {
    name: "saml logout: an application that is switched off is not asked",
    file: advance,
    change: ["return isActive && !application", "return !application"],
    in: chains,
    test: "past those who cannot be asked",
  },
  {
    name: "saml logout: an application whose answer nobody could verify is not asked",
    file: advance,
    change: [" && serviceProvider.signingKeys.length > 0", ""],
    in: chains,
    test: "past those who cannot be asked",
  },
  {
    name: "saml logout: whoever has ended the session is not told again",
    file: response,
    change: ["if (message.isSuccess) await removeParticipation(tx, chain.asked);", ""],
    in: chains,
    test: "tells nobody again",
  },
  {
    name: "saml logout: a session that began meanwhile stays",
    file: "src/sites/oidc/logout/logout-request.ts",
    change: [" || request.isEnded === true", ""],
    in: pages,
    test: "has begun meanwhile",
  },
  {
    name: "saml logout: a signature covers what browsers make of the URL",
    file: "src/sites/saml/bindings/redirect-url.ts",
    change: ["toQueryText(relayState)", "relayState"],
    in: "test/sites/saml/bindings/redirect-url.test.ts",
    test: "as a browser sends it",
  },
  {
    name: "saml logout: a RelayState that a form would change ends nothing",
    file: "src/sites/saml/endpoints/slo.ts",
    change: ["check: requireCarried", "check: () => undefined"],
    in: requests,
    test: "would change ends nothing",
  },
];

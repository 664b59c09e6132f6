import type { Guard } from "./guards.ts";

const sso = "test/sites/saml/sso.test.ts";
const access = "test/sites/saml/access.test.ts";
const hostile = "test/sites/saml/sso-hostile.test.ts";
const contexts = "test/sites/saml/contexts.test.ts";

/** What keeps the answers to service providers for the users, the places and the browsers that they are for. */
export const samlLoginGuards: readonly Guard[] = [
  {
    name: "saml login: unsigned requests are refused where the metadata says that all are signed",
    file: "src/sites/saml/endpoints/sso.ts",
    change: ["serviceProvider.signsRequests ||", ""],
    in: access,
    test: "because the metadata say so",
  },
  {
    name: "saml login: unsigned requests are refused where the settings say so",
    file: "src/sites/saml/endpoints/sso.ts",
    change: ["|| application.saml.settings.requireSignedRequests", ""],
    in: access,
    test: "because the settings say so",
  },
  {
    name: "saml login: whether a login may begin here is judged again before the answer",
    file: "src/sites/saml/login/login-protocol.ts",
    change: ["if (authnRequest === undefined && ", "if (false && "],
    in: sso,
    test: "while somebody logs in",
  },
  {
    name: "saml login: the place of the answer is looked for again before it is given",
    file: "src/sites/saml/login/login-protocol.ts",
    change: ["if (!isAcs(acs, sender.serviceProvider))", "if (Math.random() > 2)"],
    in: access,
    test: "has left the metadata",
  },
  {
    name: "saml login: ForceAuthn asks for a new login",
    file: "src/sites/saml/login/begin-login.ts",
    change: ['if (request?.isForceAuthn === true) prompts.push("login");', ""],
    in: sso,
    test: "asks for the password again",
  },
  {
    name: "saml login: with ForceAuthn nothing counts that was before",
    file: "src/sites/saml/login/reached-context.ts",
    change: ["request?.isForceAuthn === true", "request?.isForceAuthn === undefined"],
    in: "test/sites/saml/login/reached-context.test.ts",
  },
  {
    name: "saml login: IsPassive shows no page",
    file: "src/sites/saml/login/begin-login.ts",
    change: ['if (request?.isPassive === true) prompts.push("none");', ""],
    in: sso,
    test: "may show no page",
  },
  {
    name: "saml login: a session of another user does not count for the one that is named",
    file: "src/sites/login/flow/go-on.ts",
    change: ["(await isAskedFor(tx, { ports, state }, session.user.id));", "true;"],
    in: sso,
    test: "by no other one",
  },
  {
    name: "saml login: another user than the one that is named is not let in",
    file: "src/sites/login/flow/go-on.ts",
    change: ["user !== undefined && (await isAskedFor(tx, login, user.user.id))", "user !== undefined"],
    in: sso,
    test: "by no other one",
  },
  {
    name: "saml login: a transient name is that of one user",
    file: "src/sites/saml/login/login-protocol.ts",
    change: [
      'each.nameIdFormat === "TRANSIENT" && each.userId === userId',
      'each.nameIdFormat === "TRANSIENT"',
    ],
    in: sso,
    test: "finds a transient name",
  },
  {
    name: "saml login: the checks of the project are judged in the write that answers",
    file: "src/sites/saml/login/decide-login.ts",
    change: ['if (access !== "ok") throw new SamlRefusal("RequestDenied");', "void access;"],
    in: access,
    test: "the checks of a project",
  },
  {
    name: "saml login: a class of two factors asks for the second one",
    file: "src/sites/saml/login/begin-login.ts",
    change: ["wantsMfa: wish?.level === 2,", "wantsMfa: false,"],
    in: contexts,
    test: "register one",
  },
  {
    name: "saml login: an identity provider is one factor",
    file: "src/sites/saml/login/reached-context.ts",
    change: ["level: isMultiFactor(methods) ? 2 : 1,", "level: 2,"],
    in: contexts,
    test: "tells of one factor|is one factor",
  },
  {
    name: "saml login: no answer is the body of a POST",
    file: "src/sites/login/flow/finish.ts",
    change: ['exchange.verb === "POST" ?', 'exchange.verb === "PUT" ?'],
    in: sso,
    test: "at the path of its protocol",
  },
  {
    name: "saml login: an interaction is used up by its answer",
    file: "src/sites/login/flow/finish.ts",
    change: ['interaction: endInteraction(interaction, "signed-in"),', "interaction,"],
    in: hostile,
    test: "gives one answer",
  },
  {
    name: "saml login: an interaction is used up by a refusal",
    file: "src/sites/login/flow/go-on.ts",
    change: ['const ended = endInteraction(interaction, "refused");', "const ended = interaction;"],
    in: hostile,
    test: "with a refusal once",
  },
  {
    name: "saml login: who comes back to an answer that was given begins again",
    file: "src/sites/login/flow/visits.ts",
    change: ['throw isEnded ? new PageRefusal("begin-again") : error;', "throw isEnded ? error : error;"],
    in: hostile,
    test: "gives one answer",
  },
  {
    name: "saml login: an unknown sender looks like one that is switched off",
    file: "src/sites/saml/receiving/page-of-fault.ts",
    change: ['new Set(["issuer", "inactive"])', 'new Set(["issuer"])'],
    in: hostile,
    test: "looks the same",
  },
  {
    name: "saml login: a RelayState that a form would change is refused",
    file: "src/sites/saml/bindings/relay-state.ts",
    change: ["!/[\\0\\r\\n]/.test(relayState)", "true"],
    in: sso,
    test: "carries a RelayState back",
  },
  {
    name: "saml login: an application that is switched off is not read",
    file: "src/sites/saml/parties/service-providers.ts",
    change: [
      "isActive ? toKnown(await findSamlApplicationInPlace(tx, applicationId)) : undefined",
      "toKnown(await findSamlApplicationInPlace(tx, applicationId))",
    ],
    in: "test/sites/saml/parties/service-providers.test.ts",
    test: "is not read while",
  },
  {
    name: "saml login: nothing goes out unencrypted where that is demanded",
    file: "src/sites/saml/login/encryption.ts",
    change: ['if (wanted !== "REQUIRED") return undefined;', "if (wanted !== undefined) return undefined;"],
    in: access,
    test: "or nobody logs in",
  },
  {
    name: "saml login: a login begins here only where the application allows it",
    file: "src/sites/saml/endpoints/start.ts",
    change: ["|| !sender.application.saml.settings.allowIdpInitiated", ""],
    in: sso,
    test: "is for applications that allow it",
  },
  {
    name: "saml login: a login does not begin here for an application that is switched off",
    file: "src/sites/saml/endpoints/start.ts",
    change: ["if (sender?.isActive !== true ||", "if (sender === undefined ||"],
    in: sso,
    test: "is for applications that allow it",
  },
];

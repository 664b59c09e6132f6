import type { Guard } from "./guards.ts";

const protocol = "test/sites/oidc/device.test.ts";
const pages = "test/sites/oidc/device-pages.test.ts";
const rules = "src/identity/protocol-state/device-authorizations/device-authorization.ts";

/** What keeps an attacker from logging in a device as somebody else, and from the tokens of a device. */
export const deviceGuards: readonly Guard[] = [
  {
    name: "device: only applications with the grant get codes",
    file: "src/sites/oidc/endpoints/device-authorization.ts",
    change: ['requireGrantType(by.client, "DEVICE_CODE")', "by.client"],
    in: protocol,
    test: "is refused without the grant",
  },
  {
    name: "device: a user code stands for one device",
    file: "src/sites/oidc/endpoints/device-authorization.ts",
    change: ["if (!(await isUserCodeTaken(tx, hashes)))", "if (tx !== null)"],
    in: protocol,
    test: "never one that another device shows",
  },
  {
    name: "device: a device code is for its client",
    file: "src/sites/oidc/grants/device-code.ts",
    change: ["if (device?.applicationId !== client.id)", "if (device === undefined)"],
    in: protocol,
    test: "keeps its code from other clients",
  },
  {
    name: "device: a second use ends what the first one gave",
    file: rules,
    change: ["&& usedMs !== undefined)", "&& usedMs === -1)"],
    in: protocol,
    test: "uses its code once",
  },
  {
    name: "device: a device code expires",
    file: rules,
    change: ["if (expirationMs <= nowMs) return", "if (expirationMs === -1) return"],
    in: protocol,
    test: "its time is over",
  },
  {
    name: "device: a session that ended takes along what was allowed in it",
    file: "src/sites/oidc/grants/device-code.ts",
    change: [" || !(await isSessionLive(tx, authorization, nowMs))", ""],
    in: protocol,
    test: "the session has ended|the session is over by its time",
  },
  {
    name: "device: the user is judged again when tokens are given",
    file: "src/sites/oidc/grants/device-code.ts",
    change: ["await requireInForce(tx, { authorization, client });", ""],
    in: protocol,
    test: "the user may not sign in",
  },
  {
    name: "device: the checks of the project are judged before a device is allowed",
    file: "src/sites/oidc/login/login-protocol.ts",
    change: ["if (refused !== undefined) return refused;", ""],
    in: protocol,
    test: "the project asks for a role",
  },
  {
    name: "device: nobody decides about a device that does not wait",
    file: "src/sites/oidc/login/device-logins.ts",
    change: ["|| !isWaiting(device, nowMs) ", ""],
    in: pages,
    test: "does not wait any more",
  },
  {
    name: "device: the user is always asked",
    file: "src/sites/login/steps/allow-device.ts",
    change: ["request.userCode !== undefined && ", "request.prompts.length > 0 && "],
    in: pages,
    test: "is asked although there is a session",
  },
  {
    name: "device: the answer is for the account that the page named",
    file: "src/sites/login/pages/allow-device.ts",
    change: ["user?.user.id === userId ? ", "userId !== undefined ? "],
    in: pages,
    test: "an account that it did not name",
  },
  {
    name: "device: the page for codes takes its own forms only",
    file: "src/sites/oidc/endpoints/device.ts",
    change: ["requireOwnForm(exchange, form, readOwnCookie(visit, cookieName));", ""],
    in: pages,
    test: "takes no form but its own",
  },
  {
    name: "device: wrong user codes are counted for each address",
    file: "src/sites/oidc/endpoints/device.ts",
    change: ["if (!reserved.isAllowed) return", "if (reserved === null) return"],
    in: pages,
    test: "after ten wrong ones",
  },
  {
    name: "device: nobody holds on to the window of the page for codes",
    file: "src/sites/oidc/device/pages.ts",
    change: ["status, headers, isIsolated: true }", "status, headers }"],
    in: pages,
    test: "keeps to itself",
  },
];

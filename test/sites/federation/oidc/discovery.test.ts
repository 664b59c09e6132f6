import { beforeEach, describe, expect, test } from "@jest/globals";
import { createDiscovery, type Discovery } from "../../../../src/sites/federation/oidc/discovery.ts";
import { createTestClock, type TestClock } from "../../../support/clock.ts";
import { createRecordingFetch, type RecordingFetch, toAnswer } from "../support/recording-fetch.ts";

const issuer = "https://idp.example/tenant";
const document = {
  issuer,
  authorization_endpoint: "https://idp.example/authorize",
  token_endpoint: "https://idp.example/token",
  jwks_uri: "https://idp.example/keys",
};

let clock: TestClock;
let fetcher: RecordingFetch;
let discovery: Discovery;
beforeEach(() => {
  clock = createTestClock();
  fetcher = createRecordingFetch();
  fetcher.answer(document);
  discovery = createDiscovery({ clock, fetcher });
});

describe("the metadata of a provider", () => {
  test("is read at its issuer, within 5 seconds and 256 KiB", async () => {
    expect(await discovery.read({ id: "1", issuer })).toEqual({
      issuer,
      authorizationEndpoint: document.authorization_endpoint,
      tokenEndpoint: document.token_endpoint,
      keysUrl: document.jwks_uri,
      userinfoEndpoint: undefined,
      algorithms: ["RS256"],
      wantsSecretInForm: false,
      takesSecretInForm: false,
      namesIssuer: false,
    });
    const url = "https://idp.example/tenant/.well-known/openid-configuration";
    expect(fetcher.asked).toEqual([{ url, options: { timeoutMs: 5000, maxBytes: 262_144 } }]);
  });

  test("is of an issuer with a slash at the end if that says so, too", async () => {
    const slashed = `${issuer}/`;
    await expect(discovery.read({ id: "1", issuer: slashed })).rejects.toThrow("of another issuer");
    fetcher.answer({ ...document, issuer: slashed });
    expect((await discovery.read({ id: "2", issuer: slashed })).issuer).toBe(slashed);
    expect(fetcher.asked[1]?.url).toBe(`${issuer}/.well-known/openid-configuration`);
  });

  test("is read again after an hour, and for each provider", async () => {
    await Promise.all([discovery.read({ id: "1", issuer }), discovery.read({ id: "1", issuer })]);
    clock.turn(3_599_999);
    await discovery.read({ id: "1", issuer });
    expect(fetcher.asked).toHaveLength(1);
    clock.turn(1);
    await discovery.read({ id: "1", issuer });
    await discovery.read({ id: "2", issuer });
    expect(fetcher.asked).toHaveLength(3);
  });

  test("names the algorithms that are taken, and how the client authenticates", async () => {
    fetcher.answer({
      ...document,
      id_token_signing_alg_values_supported: ["none", "HS256", "ES256", "PS256"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      authorization_response_iss_parameter_supported: true,
    });
    expect(await discovery.read({ id: "1", issuer })).toMatchObject({
      algorithms: ["PS256", "ES256"],
      wantsSecretInForm: true,
      namesIssuer: true,
    });
  });

  test.each([
    ["metadata of another issuer", { ...document, issuer: `${issuer}/` }],
    ["metadata of another issuer", { ...document, issuer: undefined }],
    ["metadata token_endpoint missing", { ...document, token_endpoint: undefined }],
    ["metadata token_endpoint forbidden", { ...document, token_endpoint: "http://10.0.0.1/token" }],
    [
      "metadata authorization_endpoint forbidden",
      { ...document, authorization_endpoint: "javascript:alert(1)" },
    ],
    ["metadata jwks_uri missing", { ...document, jwks_uri: undefined }],
    ["metadata jwks_uri forbidden", { ...document, jwks_uri: "http://10.0.0.1/" }],
    ["metadata userinfo_endpoint forbidden", { ...document, userinfo_endpoint: 1 }],
    ["metadata status 500", toAnswer({}, 500)],
    ["metadata unreachable", { kind: "unreachable" } as const],
    ["metadata unreadable", { ...toAnswer({}), bytes: undefined }],
  ])("is none: %s", async (detail, answer) => {
    fetcher.answer(answer);
    const read = discovery.read({ id: "1", issuer });
    await expect(read).rejects.toMatchObject({ kind: "unavailable", detail });
  });
});

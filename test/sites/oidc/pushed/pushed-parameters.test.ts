import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { findFault } from "../../../../src/sites/oidc/login/authorization-request.ts";
import {
  findFaultInPush,
  sealParameters,
  toPushedParameters,
} from "../../../../src/sites/oidc/pushed/pushed-parameters.ts";
import {
  hashRequestUri,
  isRequestUri,
  newRequestUri,
} from "../../../../src/sites/oidc/pushed/request-uri.ts";
import { oidcSettings } from "../../../support/samples.ts";

const redirectUri = "https://a.example/cb";
const settings = oidcSettings({ redirectUris: [redirectUri] });
const good = { client_id: "7", response_type: "code", scope: "openid", redirect_uri: redirectUri };
const parametersOf = (fields: Readonly<Record<string, string>>) =>
  toPushedParameters({ form: new Map(Object.entries(fields)), lists: new Map() });

/** Parameters, some of which are wrong. */
const anyFields = fc.record(
  {
    response_type: fc.constantFrom("code", "token"),
    response_mode: fc.constantFrom("query", "form_post", "fragment"),
    scope: fc.constantFrom("openid", "profile", "openid profile"),
    prompt: fc.constantFrom("none", "login none", "login"),
    max_age: fc.constantFrom("0", "-1"),
    request: fc.constant("a.b.c"),
    code_challenge: fc.constantFrom("a".repeat(43), "a"),
    code_challenge_method: fc.constantFrom("S256", "plain"),
    state: fc.string({ maxLength: 5 }),
  },
  { requiredKeys: [] },
);

test("a request is pushed by the same rules by which a browser brings it", () => {
  fc.assert(
    fc.property(anyFields, (fields) => {
      const parameters = parametersOf({ ...good, ...fields });
      expect(findFaultInPush(parameters, { settings })).toEqual(findFault(parameters, settings));
    }),
    { numRuns: 200 },
  );
});

test("what may not be pushed at all", () => {
  const faultOf = (fields: Readonly<Record<string, string | undefined>>) => {
    const sent = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
    return findFaultInPush(parametersOf(Object.fromEntries(sent)), { settings });
  };
  expect(faultOf(good)).toBeUndefined();
  expect(faultOf({ ...good, request_uri: "https://a.example/" })?.code).toBe("invalid_request");
  expect(faultOf({ ...good, redirect_uri: `${redirectUri}/` })?.description).toMatch(/not registered/);
  expect(faultOf({ ...good, redirect_uri: undefined })?.description).toMatch(/must be there/);
  expect(faultOf({ ...good, client_id: undefined })?.code).toBe("invalid_request");
});

test("what is kept has no credentials, and nothing else that is not read", () => {
  const credentials = { client_secret: "s", client_assertion: "a", client_assertion_type: "t" };
  const read = { ...good, login_hint: "ada", id_token_hint: "a.b.c", dpop_jkt: "k", claims: "{}" };
  const sent = parametersOf({
    ...read,
    ...credentials,
    unknown: "x".repeat(60_000),
    __proto_: "x",
  });
  let kept = "";
  const encrypt = (_use: string, plaintext: Uint8Array) => {
    kept = Buffer.from(plaintext).toString();
    return { keyId: "k", value: plaintext };
  };
  sealParameters({ encrypt }, sent, "hash");
  expect(Object.fromEntries(JSON.parse(kept) as readonly [string, string][])).toEqual(read);
  expect(sent.repeated.size).toBe(0);
});

test("references are told from addresses, and no two are the same", () => {
  const made = Array.from({ length: 50 }, () => newRequestUri(systemRandom).reveal());
  expect(made.every(isRequestUri)).toBe(true);
  expect(new Set(made.map(hashRequestUri)).size).toBe(50);
  for (const text of ["https://a.example/", "urn:ietf:params:oauth:request", "URN:x", ""])
    expect(isRequestUri(text)).toBe(false);
});

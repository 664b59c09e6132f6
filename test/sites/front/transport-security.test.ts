import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sendHttp2, sendRaw } from "../../kernel/http/support/http.ts";
import { startService, type TestService } from "../../support/service.ts";

// RFC 6797 §7: browsers that come by https are told to stay there, by whatever answer they get.

const paths = [
  "/",
  "/nothing",
  "/healthz",
  "/readyz",
  "/metrics",
  "/openapi.json",
  "/v1/projects",
  "/v1/nothing",
  "/console",
  "/console/",
  "/console/nothing.js",
  "/account",
  "/device",
  "/login/nothing",
  "/setup",
  "/idps/callback",
  "/.well-known/openid-configuration",
  "/oauth/v2/keys",
  "/oauth/v2/token",
  "/oauth/v2/authorize",
  "/oidc/v1/userinfo",
  "/saml/v2/metadata",
  "/saml/v2/SSO",
] as const;

const broken = [
  "nonsense\r\n\r\n",
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
  "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
];
const origin = "https://app.example.com";
const preflight = `OPTIONS /v1/projects HTTP/1.1\r\nHost: a\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n`;
const framed = ["application/grpc", "application/grpc-web", "application/connect+json"].map((type) => ({
  ":method": "POST",
  ":path": "/gatehouse.v1.EventService/WatchEvents",
  "content-type": type,
}));

/** Returns the header of every answer to every kind of request. */
async function headersOf(service: TestService): Promise<readonly (string | undefined)[]> {
  const valueIn = (text: string) => {
    expect(text).toMatch(/^HTTP\/1\.1 \d{3} /);
    return /^strict-transport-security: ([^\r]*)\r$/im.exec(text)?.[1];
  };
  const gets = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
  );
  const texts = await Promise.all(
    [...gets, ...broken, preflight].map((bytes) => sendRaw(service.port, bytes)),
  );
  const heads = [...paths.map((path) => ({ ":path": path })), ...framed];
  const answers = await Promise.all(heads.map((head) => sendHttp2(service.url, head)));
  const found = answers.map(({ headers }) => headers["strict-transport-security"]);
  return [...texts.map(valueIn), ...found];
}

describe.each([
  ["https://login.example.com", "max-age=31536000"],
  ["http://localhost:8080", undefined],
])("with the issuer %s, strict-transport-security", (issuer, value) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ issuer, "cors-origins": [origin] });
  });
  afterAll(() => service.stop());

  test(`is ${value ?? "in no answer"}`, async () => {
    const found = await headersOf(service);
    expect(found).toHaveLength(2 * paths.length + broken.length + 1 + framed.length);
    expect(new Set(found)).toEqual(new Set([value]));
  });
});

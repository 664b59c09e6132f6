import { afterAll, describe, expect, test } from "@jest/globals";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { startService } from "../../support/service.ts";

const service = await startService();
const issuer = `http://localhost:${service.port}`;
afterAll(() => service.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  service.http.send({ method, path, headers });
const documents = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"];

describe.each(documents)("%s", (path) => {
  test("names the issuer and what is there (RFC 8414 §2)", async () => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(JSON.parse(text)).toMatchObject({
      issuer,
      jwks_uri: `${issuer}/oauth/v2/keys`,
      device_authorization_endpoint: `${issuer}/oauth/v2/device_authorization`,
      authorization_endpoint: `${issuer}/oauth/v2/authorize`,
      end_session_endpoint: `${issuer}/oidc/v1/end_session`,
      pushed_authorization_request_endpoint: `${issuer}/oauth/v2/par`,
      require_pushed_authorization_requests: false,
      response_types_supported: ["code"],
      response_modes_supported: ["query", "form_post"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      request_uri_parameter_supported: false,
      token_endpoint_auth_methods_supported: [
        "client_secret_basic",
        "client_secret_post",
        "private_key_jwt",
        "none",
      ],
    });
    expect(text).not.toMatch(/implicit|plain|"none"\],"id_token/i); // what there is not
  });

  test("names what most applications can use without a setting", async () => {
    const { text } = await get(path);
    expect(JSON.parse(text)).toMatchObject({
      grant_types_supported: [
        "authorization_code",
        "refresh_token",
        "client_credentials",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
      ],
      scopes_supported: [
        "openid",
        "profile",
        "urn:zitadel:iam:org:projects:roles",
        "urn:zitadel:iam:user:resourceowner",
        "email",
        "phone",
        "groups",
        "offline_access",
      ],
      prompt_values_supported: ["none", "login", "consent", "select_account"],
    });
  });

  test("lets pages of any origin send any header", async () => {
    const origin = { origin: "https://app.example", "access-control-request-method": "GET" };
    const { status, headers } = await get(path, origin, "OPTIONS");
    expect([status, headers.get("access-control-allow-headers")]).toEqual([204, "*"]);
  });

  test("says the same whatever Host and X-Forwarded headers the request has", async () => {
    const { text } = await get(path);
    const hostile = await get(path, {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.example;proto=https",
    });
    expect(hostile.text).toBe(text);
  });

  test("answers HEAD, and refuses other verbs in the words of OAuth", async () => {
    expect(await get(path, {}, "HEAD")).toMatchObject({ status: 200, text: "" });
    const { status, headers, text } = await get(path, {}, "DELETE");
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("GET, HEAD");
    expect(JSON.parse(text)).toMatchObject({ error: "invalid_request" });
  });
});

test("our own API is found from an answer 401 (RFC 9728 §5.1), and its metadata name the issuer", async () => {
  const path = "/.well-known/oauth-protected-resource";
  for (const authorization of ["Basic nothing", "Bearer nothing", "DPoP nothing"]) {
    const refused = await get("/v1/users", { authorization });
    expect(refused.headers.get("www-authenticate")).toContain(`resource_metadata="${issuer}${path}"`);
  }
  const { status, headers, text } = await get(path);
  expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(JSON.parse(text)).toMatchObject({
    resource: issuer,
    authorization_servers: [issuer],
    scopes_supported: ["urn:zitadel:iam:org:project:id:zitadel:aud"],
  });
  const metadata: unknown = JSON.parse((await get(documents[0] ?? "")).text);
  expect(metadata).toMatchObject({ protected_resources: [issuer] });
});

test("every URL in the metadata is one that answers", async () => {
  const metadata = JSON.parse((await get(documents[0] ?? "")).text) as Record<string, unknown>;
  const urls = Object.entries(metadata).filter(([name]) => /_(uri|endpoint)$/.test(name));
  expect(urls.length).toBeGreaterThan(0);
  for (const [, url] of urls) {
    expect(String(url).startsWith(`${issuer}/`)).toBe(true);
    expect((await get(new URL(String(url)).pathname)).status).not.toBe(404);
  }
});

async function readKeys(): Promise<readonly Record<string, unknown>[]> {
  const { status, headers, text } = await get("/oauth/v2/keys");
  expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  return (JSON.parse(text) as { keys: Record<string, unknown>[] }).keys;
}

test("/oauth/v2/keys shows the public keys and nothing private (RFC 7517 §5), RSA first, the newest first", async () => {
  const first = await readKeys();
  service.clock.turn(60_000);
  await service.call(SigningKeyService.method.rotateSigningKeys, {});
  const keys = await readKeys();
  expect(keys.map(({ kty, alg, use }) => `${String(kty)} ${String(alg)} ${String(use)}`)).toEqual([
    "RSA RS256 sig",
    "RSA RS256 sig",
    "EC ES256 sig",
    "EC ES256 sig",
    "OKP EdDSA sig",
    "OKP EdDSA sig",
  ]);
  expect(keys.filter((_, index) => index % 2 === 1)).toEqual(first);
  for (const key of keys) {
    expect(key["kid"]).toMatch(/^[\w-]{22}$/);
    for (const secret of ["d", "p", "q", "dp", "dq", "qi", "k"]) expect(key).not.toHaveProperty(secret);
  }
});

test.each(["/oauth/v2/none", "/oauth/", "/oidc/v1/none"])("%s is unknown", async (path) => {
  const { status, headers, text } = await get(path);
  expect(status).toBe(404);
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(JSON.parse(text)).toMatchObject({ error: "invalid_request" });
});

test("without an issuer every path is unknown, and the log says so", async () => {
  const off = await startService({ "cors-origins": "https://a.example" });
  try {
    for (const path of [...documents, "/oauth/v2/keys"])
      expect(await off.http.send({ method: "GET", path, headers: {} })).toMatchObject({ status: 404 });
    expect(off.log()).toContain('"login.off"');
    expect(service.log()).not.toContain('"login.off"');
  } finally {
    await off.stop();
  }
});

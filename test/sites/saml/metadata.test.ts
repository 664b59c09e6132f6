import { afterAll, describe, expect, test } from "@jest/globals";
import { X509Certificate } from "node:crypto";
import { SigningKeyUse } from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { parseTextXml, type TextElement } from "../../../src/kernel/xml/text-document.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { createLoginPlace } from "../oidc/support/login-place.ts";
import { createCaller } from "../../support/world.ts";
import { addScriptedParty } from "./support/scripted-party.ts";
import { answerOf, refusalOf, startService } from "../../support/service.ts";

const metadataPath = "/saml/v2/metadata";
const certificatePath = "/saml/v2/certificate";
const day = 24 * 3_600_000;

const service = await startService();
const issuer = `http://localhost:${service.port}`;
afterAll(() => service.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  service.http.send({ method, path, headers });

interface ListedKey {
  readonly id: string;
  readonly state: string;
  readonly use: string;
  readonly certificate?: string;
}

/** Returns the keys for SAML messages by their states, as the call lists them. */
async function listKeys(): Promise<ReadonlyMap<string, ListedKey>> {
  const { signingKeys } = await service.call(SigningKeyService.method.listSigningKeys, {});
  const keys = signingKeys as unknown as readonly ListedKey[];
  const ofSaml = keys.filter(({ use }) => use === "SIGNING_KEY_USE_SAML");
  return new Map(ofSaml.map((key) => [key.state.replace("SIGNING_KEY_STATE_", ""), key]));
}

const rotate = (revokeOld = false) =>
  service.clients.grpc.call(
    SigningKeyService.method.rotateSigningKeys,
    { use: SigningKeyUse.SAML, revokeOld },
    { token: service.adminToken },
  );

async function certificatesInMetadata(): Promise<readonly string[]> {
  const { text } = await get(metadataPath);
  const { elements } = parseTextXml(text);
  return elements.flatMap((each) => (each.localName === "X509Certificate" ? [each.text ?? ""] : []));
}

const pathOf = (element: TextElement): string =>
  [element.localName, ...element.attributes.map(([, value]) => value)].join(" ");

describe("the metadata (SAML Metadata §2.4.3)", () => {
  test("says who we are and what we offer, in the order of the schema", async () => {
    const { status, headers, text } = await get(metadataPath);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/samlmetadata+xml");
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<md:EntityDescriptor ')).toBe(true);
    const { root } = parseTextXml(text);
    expect(text).toContain(` entityID="${issuer}/saml/v2/metadata"`);
    expect(text).toContain(' cacheDuration="PT1H"');
    expect(text).toContain(' WantAuthnRequestsSigned="false"');
    expect(text).not.toMatch(/validUntil|<ds:Signature/);
    expect(root.children.map(({ localName }) => localName)).toEqual(["IDPSSODescriptor"]);
    const redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
    const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
    const basic = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
    expect(root.children[0]?.children.map(pathOf)).toEqual([
      "KeyDescriptor signing",
      `SingleLogoutService ${redirect} ${issuer}/saml/v2/SLO`,
      `SingleLogoutService ${post} ${issuer}/saml/v2/SLO`,
      "NameIDFormat",
      "NameIDFormat",
      "NameIDFormat",
      `SingleSignOnService ${redirect} ${issuer}/saml/v2/SSO`,
      `SingleSignOnService ${post} ${issuer}/saml/v2/SSO`,
      ...["Email", "SurName", "FirstName", "FullName", "UserName", "UserID", "Roles"].map((name) =>
        expect.stringMatching(`^Attribute.* ${name} ${basic}$`),
      ),
    ]);
    expect(root.children[0]?.children.flatMap((each) => each.text || [])).toEqual([
      "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
      "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    ]);
  });

  test("is the same for an application, but for whether it has to sign its requests", async () => {
    const place = await createLoginPlace(service);
    const { appId } = await addScriptedParty(service, place);
    const { text } = await get(metadataPath);
    const own = `${metadataPath}?app_id=${appId}`;
    const before = await get(own);
    expect(before.text).toBe(text);
    const call = createCaller(service, place.organizationId);
    const asked = { projectId: place.projectId, appId, requireSignedRequests: true };
    await call(ApplicationService.method.updateSamlSettings, asked);
    const after = await get(own, { "if-none-match": before.headers.get("etag") ?? "" });
    expect(after.text).toBe(text.replace('RequestsSigned="false"', 'RequestsSigned="true"'));
    expect((await get(metadataPath)).text).toBe(text);
    expect((await get(`${metadataPath}?other=1`)).text).toBe(text);
  });

  test.each(["app_id=1", "app_id=", "app_id=x", "app_id=1&app_id=2"])(
    "is not found for an application that there is not: %s",
    async (query) => {
      expect((await get(`${metadataPath}?${query}`)).status).toBe(404);
    },
  );

  test("is the same whatever Host and X-Forwarded headers the request has", async () => {
    const { text } = await get(metadataPath);
    const hostile = await get(metadataPath, {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.example;proto=https",
    });
    expect(hostile.text).toBe(text);
  });

  test("is not sent again to who has it (RFC 9110 §13.1.2)", async () => {
    const { headers, text } = await get(metadataPath);
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [etag, `"other", W/${etag}`, "*"]) {
      const again = await get(metadataPath, { "if-none-match": known });
      expect(again).toMatchObject({ status: 304, text: "" });
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("cache-control")).toBe("public, max-age=300");
    }
    expect(await get(metadataPath, { "if-none-match": '"other"' })).toMatchObject({ status: 200, text });
  });
});

describe("the certificate", () => {
  test("is that of the key that signs, as a file", async () => {
    const { status, headers, text } = await get(certificatePath);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/x-pem-file");
    expect(headers.get("content-disposition")).toBe('attachment; filename="gatehouse.crt"');
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(text).toMatch(/^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n$/);
    const der = new X509Certificate(text).raw.toString("base64");
    expect(await certificatesInMetadata()).toEqual([der]);
    expect((await listKeys()).get("ACTIVE")?.certificate).toBe(der);
  });

  test.each([
    ["?key_id=unknown", 404],
    ["?key_id=", 404],
    ["?key_id=a&key_id=b", 400],
  ])("%s answers %s", async (query, status) => {
    const answer = await get(`${certificatePath}${query}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });
});

describe.each([metadataPath, certificatePath])("%s", (path) => {
  test("answers HEAD, and refuses other verbs by a page", async () => {
    expect(await get(path, {}, "HEAD")).toMatchObject({ status: 200, text: "" });
    for (const verb of ["POST", "PUT", "DELETE"]) {
      const { status, headers } = await get(path, {}, verb);
      expect(status).toBe(405);
      expect(headers.get("allow")).toBe("GET, HEAD");
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
  });
});

test("other origins may read the metadata alone", async () => {
  const headers = { origin: "https://a.example", "access-control-request-method": "GET" };
  const preflight = await get(metadataPath, headers, "OPTIONS");
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  const refused = await get(certificatePath, headers, "OPTIONS");
  expect(refused.headers.get("access-control-allow-origin")).toBeNull();
});

test.each(["/saml/", "/saml/v2", "/saml/v2/none", "/saml/v2/metadata/", "/saml/v2/Metadata"])(
  "%s is unknown",
  async (path) => {
    for (const verb of ["GET", "POST"]) {
      const { status, headers } = await get(path, {}, verb);
      expect(status).toBe(404);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  },
);

test("without an issuer every path is unknown, and no key is made", async () => {
  const off = await startService({ "cors-origins": "https://a.example" });
  try {
    for (const path of [metadataPath, certificatePath, "/saml/v2/none"])
      for (const method of ["GET", "HEAD", "POST"])
        expect(await off.http.send({ method, path, headers: {} })).toMatchObject({ status: 404 });
    const { signingKeys } = await off.call(SigningKeyService.method.listSigningKeys, {});
    expect(signingKeys).toEqual([]);
  } finally {
    await off.stop();
  }
});

test("a rotation publishes the next key beside the one that signs, and a day later lets it sign", async () => {
  const [old] = await certificatesInMetadata();
  const oldId = (await listKeys()).get("ACTIVE")?.id ?? "";
  const { headers } = await get(metadataPath);
  answerOf(await rotate());
  const next = (await listKeys()).get("NEXT");
  expect(await certificatesInMetadata()).toEqual([old, next?.certificate]);
  expect((await get(metadataPath, { "if-none-match": headers.get("etag") ?? "" })).status).toBe(200);
  const signing = await get(certificatePath);
  expect(new X509Certificate(signing.text).raw.toString("base64")).toBe(old);
  const waiting = await get(`${certificatePath}?key_id=${next?.id}`);
  expect(new X509Certificate(waiting.text).raw.toString("base64")).toBe(next?.certificate);

  service.clock.turn(day / 2);
  expect(refusalOf(await rotate())).toMatchObject({ code: 9, reason: "SAML_KEY_NOT_READY" });
  service.clock.turn(day / 2);
  answerOf(await rotate());
  expect(await certificatesInMetadata()).toEqual([next?.certificate, old]);
  service.clock.turn(day);
  expect(await certificatesInMetadata()).toEqual([next?.certificate]);
  expect((await get(`${certificatePath}?key_id=${oldId}`)).status).toBe(404);
});

test("with revoke_old nobody is shown the former key from then on", async () => {
  const [former] = await certificatesInMetadata();
  answerOf(await rotate(true));
  const certificates = await certificatesInMetadata();
  expect(certificates).toHaveLength(1);
  expect(certificates).not.toContain(former);
});

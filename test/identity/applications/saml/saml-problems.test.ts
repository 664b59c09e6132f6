import { expect, test } from "@jest/globals";
import { parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { findSamlProblems } from "../../../../src/identity/applications/saml/saml-problems.ts";
import {
  initialSamlSettings,
  type SamlSettings,
} from "../../../../src/identity/applications/saml/saml-settings.ts";
import { readServiceProvider } from "../../../../src/identity/applications/saml/service-provider.ts";
import { keyDescriptor, keyValue, rsaKeyOf } from "./key-elements.ts";
import { metadata, protocol, service } from "./metadata-document.ts";

const nowMs = Date.UTC(2026, 5, 1);
const key = keyDescriptor(keyValue(rsaKeyOf(2048)));
const logout =
  '<md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.test/"/>';

function problemsOf(
  parts: Parameters<typeof metadata>[0],
  settings: Partial<SamlSettings> = {},
  laterMs = 0,
): readonly string[] {
  const bytes = new Uint8Array(Buffer.from(metadata(parts)));
  const parsed = parseSamlMetadata(bytes, { nowMs, dev: false, field: "metadata_xml" });
  const saml = {
    metadata: parsed,
    metadataUrl: "",
    metadataFetchDate: undefined,
    metadataState: "READY",
    metadataError: "",
    settings: { ...initialSamlSettings, ...settings },
  } as const;
  return findSamlProblems(saml, readServiceProvider(parsed.xml, { dev: false, nowMs }), nowMs + laterMs);
}

const signsRequests = `protocolSupportEnumeration="${protocol}" AuthnRequestsSigned="true"`;

test("nothing is wrong with one endpoint by POST, nor with keys and a logout", () => {
  expect(problemsOf({})).toEqual([]);
  const everything = { services: key + logout + service(), provider: signsRequests };
  expect(problemsOf(everything, { encryption: "REQUIRED", requireSignedRequests: true })).toEqual([]);
});

test("no endpoint by POST", () => {
  const services = service().replace("HTTP-POST", "HTTP-Artifact");
  expect(problemsOf({ services })).toEqual([
    "the metadata has no AssertionConsumerService with the binding HTTP-POST: nobody can log in",
  ]);
});

test("encryption is required without a key for it", () => {
  const problem =
    "encryption is required, but the metadata has no RSA key of 2048 to 8192 bits with a cipher that can be used: nobody can log in";
  const signing = key.replace("<md:KeyDescriptor", '<md:KeyDescriptor use="signing"');
  const problems = (encryption: SamlSettings["encryption"]) =>
    problemsOf({ services: signing + service() }, { encryption });
  expect([problems("REQUIRED"), problems("WHEN_POSSIBLE"), problems("NEVER")]).toEqual([[problem], [], []]);
});

test("requests have to be signed, by the metadata or the settings, without a key", () => {
  const problem =
    "requests have to be signed, but the metadata has no key for signing that can be used: no request is accepted";
  expect(problemsOf({ provider: signsRequests })).toEqual([problem]);
  expect(problemsOf({}, { requireSignedRequests: true })).toEqual([problem]);
});

test("logouts without a key", () => {
  expect(problemsOf({ services: logout + service() })).toEqual([
    "the metadata has a SingleLogoutService, but no key for signing that can be used: the application cannot log users out",
  ]);
});

test("a date that has passed since", () => {
  const entity = `validUntil="${new Date(nowMs + 1000).toISOString()}"`;
  expect(problemsOf({ entity }, {}, 999)).toEqual([]);
  expect(problemsOf({ entity }, {}, 1000)).toEqual([
    "the validUntil of the metadata has passed: users can still log in, but the keys in it may be out of use",
  ]);
});

test("a short key, behind what the settings make wrong", () => {
  const services = keyDescriptor(keyValue(rsaKeyOf(1024))) + service();
  expect(problemsOf({ services }, { encryption: "REQUIRED" })).toEqual([
    expect.stringContaining("encryption is required"),
    "RSA keys with less than 2048 bits are not safe: the metadata has 1",
  ]);
});

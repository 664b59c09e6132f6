import { describe, expect, test } from "@jest/globals";
import {
  createMetadataSource,
  type FetchOutcome,
} from "../../../../src/identity/applications/saml/metadata-source.ts";
import { createTestClock } from "../../../support/clock.ts";
import { bytesOf, createMetadataServer, document, metadataOf, services } from "./metadata-server.ts";

const setup = (dev = false) => {
  const server = createMetadataServer();
  return { server, source: createMetadataSource({ fetcher: server, clock: createTestClock(), dev }) };
};
const request = { organizationId: "10", url: "https://sp.example.com/metadata" };

describe("parse", () => {
  test("returns a document as it came, with its byte order mark, and one in UTF-16 as the same one in UTF-8", () => {
    const xml = metadataOf("https://sp.example.com");
    const { parse } = setup().source;
    expect(parse(bytesOf(`\uFEFF${xml}`)).xml).toBe(`\uFEFF${xml}`);
    const sent = Buffer.from(`\uFEFF${xml.replace("UTF-8", "UTF-16")}`, "utf16le");
    expect(parse(new Uint8Array(sent)).xml).toBe(xml);
  });

  test("names the field and the rule that is broken", () => {
    expect(() => setup().source.parse(bytesOf("<a/>"))).toThrow(
      expect.objectContaining({
        kind: "invalid",
        reason: "SAML_METADATA_ROOT",
        violations: [expect.objectContaining({ field: "metadata_xml" })],
      }),
    );
  });
});

describe("fetch", () => {
  test("asks for at most 5 s, 500,000 bytes and 3 redirects", async () => {
    const { server, source } = setup();
    await source.fetch(request);
    await source.fetch({ ...request, timeoutMs: 60_000 });
    const accept = "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1";
    const options = { timeoutMs: 5000, maxBytes: 500_000, maxRedirects: 3, accept, signal: undefined };
    expect(server.requests).toEqual([
      { url: request.url, options },
      { url: request.url, options },
    ]);
  });

  test("takes no longer than the call has left, in whole milliseconds", async () => {
    const { server, source } = setup();
    await source.fetch({ ...request, timeoutMs: 1200.5 });
    await source.fetch({ ...request, timeoutMs: -3 });
    expect(server.requests.map(({ options }) => options.timeoutMs)).toEqual([1201, 1]);
  });

  test("returns the document", async () => {
    const { server, source } = setup();
    server.answer(document(metadataOf("e")));
    expect(await source.fetch(request)).toEqual({
      kind: "document",
      metadata: { entityId: "e", xml: metadataOf("e"), assertionConsumerServices: services },
    });
  });

  test.each<[string, FetchOutcome, string]>([
    ["a forbidden URL", { kind: "forbidden", message: "must name a public host" }, "URL_FORBIDDEN"],
    ["a status", { kind: "refused", cause: "status", message: "m" }, "SAML_METADATA_UNREACHABLE"],
    ["redirects", { kind: "refused", cause: "redirects", message: "m" }, "SAML_METADATA_UNREACHABLE"],
    ["its size", { kind: "refused", cause: "size", message: "m" }, "SAML_METADATA_TOO_LARGE"],
    ["a document that breaks the rules", document("<a/>"), "SAML_METADATA_ROOT"],
  ])("finds unusable: %s", async (_name, outcome, reason) => {
    const { server, source } = setup();
    server.answer(outcome);
    expect(await source.fetch(request)).toMatchObject({
      kind: "unusable",
      problem: { kind: "invalid", reason, violations: [{ field: "metadata_url" }] },
    });
  });

  test("says that a server cannot be reached", async () => {
    expect(await setup().source.fetch(request)).toEqual({ kind: "unreachable" });
  });

  test("has at most 10 under way for an organization, and as many for another one", async () => {
    const { server, source } = setup();
    const release = server.hold();
    const underWay = Array.from({ length: 10 }, () => source.fetch(request));
    expect(await source.fetch(request)).toEqual({ kind: "busy" });
    const other = source.fetch({ ...request, organizationId: "11" });
    expect(server.requests).toHaveLength(11);
    release();
    expect(await Promise.all([...underWay, other])).toHaveLength(11);
    expect(await source.fetch(request)).toEqual({ kind: "unreachable" });
  });

  test("counts one that fails no longer", async () => {
    const { server, source } = setup();
    server.answer(() => Promise.reject(new Error("a bug")));
    for (let index = 0; index < 11; index++) await expect(source.fetch(request)).rejects.toThrow("a bug");
    expect(server.requests).toHaveLength(11);
  });
});

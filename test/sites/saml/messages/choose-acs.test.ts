import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { AcsRequest } from "../../../../src/sites/saml/messages/authn-request.ts";
import { chooseAcs, isAcs } from "../../../../src/sites/saml/messages/choose-acs.ts";
import { httpPostBinding } from "../../../../src/sites/saml/messages/identifiers.ts";
import { faultOf } from "./support/written.ts";

const artifact = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact";
const service = (index: number, binding: string, isDefault = false) => ({
  binding,
  location: `https://sp.example.com/acs/${index}`,
  index,
  isDefault,
});
const own = {
  assertionConsumerServices: [
    service(0, artifact),
    service(1, httpPostBinding),
    service(2, httpPostBinding, true),
    service(3, httpPostBinding),
  ],
};

function chosen(target: Partial<AcsRequest> | undefined, provider = own): string {
  const { index, url, binding } = target ?? {};
  return chooseAcs(target && { index, url, binding }, provider).location;
}
const fault = (target: Partial<AcsRequest>, provider = own) => faultOf(() => chosen(target, provider));

describe("SAML Core §3.4.1: where the answer goes", () => {
  test("is the default, with and without a request", () => {
    expect([chosen(undefined), chosen({}), chosen({ binding: httpPostBinding })]).toEqual(
      Array.from({ length: 3 }, () => "https://sp.example.com/acs/2"),
    );
  });

  test("is the first by HTTP-POST when the default takes another binding", () => {
    const provider = {
      assertionConsumerServices: [service(5, artifact, true), ...own.assertionConsumerServices.slice(1, 2)],
    };
    expect(chosen(undefined, provider)).toBe("https://sp.example.com/acs/1");
  });

  test("is what the request asks for, by index or URL", () => {
    expect(chosen({ index: 3 })).toBe("https://sp.example.com/acs/3");
    expect(chosen({ url: "https://sp.example.com/acs/1" })).toBe("https://sp.example.com/acs/1");
    expect(chosen({ url: "https://sp.example.com/acs/1", binding: httpPostBinding })).toBe(
      "https://sp.example.com/acs/1",
    );
  });

  test.each<Partial<AcsRequest>>([
    { index: 99 },
    { index: 0 },
    { index: 1, url: "https://sp.example.com/acs/1" },
    { index: 1, binding: httpPostBinding },
    { binding: artifact },
    { binding: "" },
    { url: "https://sp.example.com/acs/0" },
    { url: "https://sp.example.com/acs/1", binding: artifact },
    { url: "" },
    { url: "https://other.example.com/acs/1" },
    { url: "https://sp.example.com/ACS/1" },
    { url: "https://SP.example.com/acs/1" },
    { url: "https://sp.example.com/acs/1?a=b" },
    { url: "https://sp.example.com/acs/1#a" },
    { url: "https://sp.example.com:443/acs/1" },
    { url: "https://a@sp.example.com/acs/1" },
    { url: "javascript:alert(1)" },
  ])("is nothing else: %j", (target) => {
    expect(fault(target)).toBe("acs");
  });

  test("is nowhere without an endpoint by HTTP-POST", () => {
    const provider = { assertionConsumerServices: [service(0, artifact, true)] };
    expect([fault({}, provider), faultOf(() => chooseAcs(undefined, provider))]).toEqual(["acs", "acs"]);
  });

  test("is judged again for the answer", () => {
    expect(isAcs("https://sp.example.com/acs/3", own)).toBe(true);
    expect(isAcs("https://sp.example.com/acs/0", own)).toBe(false);
    expect(isAcs("https://sp.example.com/acs/4", own)).toBe(false);
  });
});

test("never leaves the metadata and HTTP-POST, whatever the request and the metadata are", () => {
  const locations: fc.Arbitrary<string> = fc.constantFrom(
    "https://a.example/1",
    "https://a.example/2",
    "https://b.example/1",
    "",
  );
  const bindings: fc.Arbitrary<string> = fc.constantFrom(httpPostBinding, artifact, "");
  const indexes = fc.nat({ max: 3 });
  const services = fc.array(
    fc.record({ binding: bindings, location: locations, index: indexes, isDefault: fc.boolean() }),
    { maxLength: 4 },
  );
  const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
  const targets = fc.record({ index: maybe(indexes), url: maybe(locations), binding: maybe(bindings) });
  fc.assert(
    fc.property(targets, services, (target, assertionConsumerServices) => {
      let found: ReturnType<typeof chooseAcs> | undefined;
      const reason = faultOf(() => {
        found = chooseAcs(target, { assertionConsumerServices });
      });
      if (found === undefined) return reason === "acs";
      return (
        assertionConsumerServices.includes(found) &&
        found.binding === httpPostBinding &&
        [undefined, found.location].includes(target.url) &&
        [undefined, found.index].includes(target.index)
      );
    }),
  );
});

import { expect, test } from "@jest/globals";
import { type ApplicationId, toId } from "../../../../src/kernel/base/ids.ts";
import type { SamlConfig } from "../../../../src/identity/applications/saml/saml-config.ts";
import { initialSamlSettings } from "../../../../src/identity/applications/saml/saml-settings.ts";
import { createServiceProviderReader } from "../../../../src/identity/applications/saml/service-provider-reader.ts";
import { createTestClock } from "../../../support/clock.ts";
import { metadata, service } from "./metadata-document.ts";

const application = (id: string, xml: string | undefined, validUntilMs?: number) => {
  const saml: SamlConfig = {
    metadata:
      xml === undefined ? undefined : { entityId: "e", xml, assertionConsumerServices: [], validUntilMs },
    metadataUrl: "",
    metadataFetchDate: undefined,
    metadataState: "READY",
    metadataError: "",
    settings: initialSamlSettings,
  };
  return { id: toId<ApplicationId>(id), saml };
};
const documentAt = (location: string) => metadata({ services: service(location) });
const a = documentAt("https://a.test/");
const b = documentAt("https://b.test/");
const createReader = (limits: { readonly maxCount?: number; readonly maxCharacters?: number } = {}) =>
  createServiceProviderReader({ clock: createTestClock(), dev: false, ...limits });
const locationOf = (found: ReturnType<ReturnType<typeof createReader>["read"]>) =>
  found?.assertionConsumerServices[0]?.location;

test("a document is read once, and again when the application has another one or another date", () => {
  const reader = createReader();
  const first = reader.read(application("1", a));
  expect(reader.read(application("1", a))).toBe(first);
  expect(locationOf(first)).toBe("https://a.test/");
  expect(locationOf(reader.read(application("1", b)))).toBe("https://b.test/");
  expect(locationOf(reader.read(application("1", a)))).toBe("https://a.test/");
  const dated = reader.read(application("1", a, 1));
  expect(dated).not.toBe(first);
  expect(reader.read(application("1", a, 1))).toBe(dated);
});

test("nothing is read of an application without metadata", () => {
  expect(createReader().read(application("1", undefined))).toBeUndefined();
});

test("those that were not used for the longest time are forgotten first", () => {
  const reader = createReader({ maxCount: 2 });
  const [first, second] = ["1", "2"].map((id) => reader.read(application(id, a)));
  expect(reader.read(application("1", a))).toBe(first);
  reader.read(application("3", a));
  expect(reader.read(application("1", a))).toBe(first);
  expect(reader.read(application("2", a))).not.toBe(second);
});

test("they are forgotten, too, when their documents are long in all", () => {
  const reader = createReader({ maxCharacters: 2 * a.length });
  const [first, second] = ["1", "2"].map((id) => reader.read(application(id, a)));
  expect(reader.read(application("1", a))).toBe(first);
  expect(reader.read(application("2", a))).toBe(second);
  reader.read(application("2", b)); // as long: in place of the other
  expect(reader.read(application("1", a))).toBe(first);
  reader.read(application("3", a));
  expect(reader.read(application("1", a))).toBe(first);
});

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createServiceProviderReader } from "../../../../src/identity/applications/saml/service-provider-reader.ts";
import type { Exchange } from "../../../../src/kernel/http/exchanges/exchange.ts";
import { readAuthnRequest } from "../../../../src/sites/saml/messages/authn-request.ts";
import { createServiceProviders } from "../../../../src/sites/saml/parties/service-providers.ts";
import type { MessageLabels } from "../../../../src/sites/saml/receiving/message-log.ts";
import { type ReceivingPorts, receiveMessage } from "../../../../src/sites/saml/receiving/receive-message.ts";
import { createRefusalLimit, maxRefusals } from "../../../../src/sites/saml/receiving/refusal-limit.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";

let fixture: FeatureFixture;
let ports: ReceivingPorts;
let counted: MessageLabels[];
let lines: unknown[];
beforeEach(async () => {
  fixture = await openFeatureFixture();
  counted = [];
  lines = [];
  ports = {
    context: fixture.context,
    bodies: { read: () => Promise.reject(new Error("a body was read")) },
    serviceProviders: createServiceProviders(
      createServiceProviderReader({ clock: fixture.clock, dev: false }),
    ),
    refusals: createRefusalLimit(fixture.clock),
    logger: { warn: (line: unknown) => void lines.push(line) },
    countMessage: (labels) => void counted.push(labels),
  };
});
afterEach(() => fixture.close());

const formType = { "content-type": "application/x-www-form-urlencoded" };

const receive = (
  how: Pick<Exchange, "verb" | "remoteAddress">,
  headers: Readonly<Record<string, string>> = {},
) => {
  const all: Readonly<Record<string, string>> = { ...formType, ...headers };
  const exchange = {
    query: "SAMLRequest=x",
    header: (name: string) => all[name],
    ...how,
  } as unknown as Exchange; // as much as is read
  return receiveMessage(
    ports,
    { exchange, url: "https://idp.test/saml/v2/SSO" },
    {
      marks: { kind: "login" },
      readers: { SAMLRequest: { read: readAuthnRequest, isSignatureRequired: () => true } },
      check: () => undefined,
    },
  );
};

test("a network to which too many messages were refused is not listened to for the rest of a minute", async () => {
  const [noisy, quiet] = ["192.0.2.1", "192.0.2.2"];
  for (let count = 1; count < maxRefusals; count++) ports.refusals.count(noisy);
  await expect(receive({ verb: "GET", remoteAddress: noisy })).rejects.toThrow("base64"); // the last one
  for (const verb of ["GET", "POST"])
    await expect(receive({ verb, remoteAddress: noisy })).rejects.toMatchObject({ reason: "LIMIT_REACHED" });
  expect([lines.length, counted.length]).toEqual([1, 1]);
  await expect(receive({ verb: "GET", remoteAddress: quiet })).rejects.toThrow("base64");
  fixture.clock.turn(60_000);
  await expect(receive({ verb: "POST", remoteAddress: noisy })).rejects.toThrow("a body was read");
});

const fromPage: readonly Readonly<Record<string, string>>[] = [
  { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" },
  { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
  { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" },
  { "sec-fetch-dest": "script" },
];

test.each(fromPage)(
  "what a page fetches is refused, and does not count for its network: %j",
  async (headers) => {
    const remoteAddress = "192.0.2.1";
    for (let count = 1; count < maxRefusals; count++) ports.refusals.count(remoteAddress);
    for (const verb of ["GET", "POST", "GET"])
      await expect(receive({ verb, remoteAddress }, headers)).rejects.toMatchObject({ kind: "not-a-visit" });
    expect([lines, counted]).toEqual([[], []]);
    await expect(receive({ verb: "GET", remoteAddress })).rejects.toThrow("base64");
  },
);

test("a client that says no destination, as the fetch of Node, is received", async () => {
  const headers = { "sec-fetch-mode": "cors" };
  await expect(receive({ verb: "GET", remoteAddress: undefined }, headers)).rejects.toThrow("base64");
});

test.each(["document", "iframe", "frame", "object", "embed"])(
  "what is shown in a window or a frame is received: %s",
  async (destination) => {
    const headers = {
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": destination,
      "sec-fetch-site": "cross-site",
    };
    await expect(receive({ verb: "GET", remoteAddress: undefined }, headers)).rejects.toThrow("base64");
  },
);

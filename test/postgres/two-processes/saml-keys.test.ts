import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { SigningKeyUse } from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { createLoginPlace } from "../../sites/oidc/support/login-place.ts";
import { readAnswer } from "../../sites/saml/support/saml-answer.ts";
import {
  addScriptedParty,
  openBrowser,
  originOf,
  type SamlService,
  type ScriptedParty,
} from "../../sites/saml/support/scripted-party.ts";
import { createTestClock } from "../../support/clock.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";
import { getAt, publishedAt, requireSigner } from "./support/saml-signer.ts";

// What one process has done to the keys that sign SAML messages, the other one knows at its next message.

const port = 4713;
const dayMs = 24 * 3_600_000;
const clock = createTestClock(Date.now());

let pair: Pair;
let one: SamlService;
let other: SamlService;
let party: ScriptedParty;
/** What was published to those who were the first to ask. */
let firsts: readonly (readonly string[])[];
beforeAll(async () => {
  pair = await startPair({ issuer: originOf({ port }) }, { clock });
  const open = (process: Process): SamlService => ({
    ...process,
    port,
    clock,
    http: createHttpClient(process.url),
  });
  [one, other] = [open(pair.one), open(pair.other)];
  firsts = await Promise.all([one, other, one, other].map(publishedAt));
  party = await addScriptedParty(one, await createLoginPlace(one));
});
beforeEach(() => rotate(one, true)); // one key is left
afterAll(async () => {
  one.http.close();
  other.http.close();
  await pair.close();
});

/** Both processes publish these, and sign with the first one. */
async function expectAtBoth(...certificates: readonly string[]): Promise<void> {
  const [active = ""] = certificates;
  for (const service of [other, one]) {
    expect(await publishedAt(service)).toEqual(certificates);
    await requireSigner(party, service, active);
    const pem = (await getAt(service, "/saml/v2/certificate")).replaceAll(/-----[^-]+-----|\s/g, "");
    expect(pem).toBe(active);
  }
}

const rotate = (service: SamlService, revokeOld = false) =>
  service.call(SigningKeyService.method.rotateSigningKeys, { use: SigningKeyUse.SAML, revokeOld });

test("the first key is one, whichever process is asked for it", () => {
  const [[first = ""] = []] = firsts;
  expect(first).not.toBe("");
  expect(firsts).toEqual(firsts.map(() => [first]));
});

test("a key that is rotated at one process is published and signs at the other one at once", async () => {
  for (const [here, there] of [
    [one, other],
    [other, one],
  ] as const) {
    const [first = ""] = await publishedAt(there);
    await rotate(here);
    const [, next = ""] = await publishedAt(there);
    await expectAtBoth(first, next); // it does not sign yet
    await expect(rotate(there)).rejects.toThrow("SAML_KEY_NOT_READY");
    await expectAtBoth(first, next);

    clock.turn(dayMs);
    await rotate(here);
    await requireSigner(party, there, next);
    await expect(requireSigner(party, there, first)).rejects.toThrow();
    await expectAtBoth(next, first);

    clock.turn(dayMs);
    await expectAtBoth(next);
  }
});

test("a key that is revoked at one process is nobody's key at the other one at once", async () => {
  for (const here of [other, one]) {
    const [first = ""] = await publishedAt(here);
    await rotate(here, true);
    const there = here === one ? other : one;
    const [next = ""] = await publishedAt(there);
    expect(next).not.toBe(first);
    await expectAtBoth(next);
    await expect(requireSigner(party, there, first)).rejects.toThrow();
  }
});

test("of 8 rotations at once, at both processes, one makes the next key, and one lets it sign", async () => {
  const [first = ""] = await publishedAt(one);
  const rotateAll = async () => {
    const services = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : other));
    const ended = await Promise.allSettled(services.map((service) => rotate(service)));
    return ended.filter(({ status }) => status === "fulfilled").length;
  };
  expect(await rotateAll()).toBe(1);
  const [, next = ""] = await publishedAt(other);
  await expectAtBoth(first, next);
  clock.turn(dayMs);
  // The call after the one that lets it sign begins the next rotation; all others come too early for that.
  expect(await rotateAll()).toBe(2);
  const [active, waiting = "", retired] = await publishedAt(other);
  expect([active, retired]).toEqual([next, first]);
  await expectAtBoth(next, waiting, first);
});

test("answers that are made during a rotation are signed by a key of the metadata before or after it", async () => {
  await rotate(one);
  const before = await publishedAt(one);
  clock.turn(dayMs);
  const asked = Array.from({ length: 16 }, async (_, index) => {
    const service = index % 2 === 0 ? one : other;
    return await party.ask(openBrowser(service), { attributes: { IsPassive: "true" } });
  });
  await rotate(one);
  const [active = ""] = await publishedAt(other);
  expect(active).toBe(before[1]);
  const signers = (await Promise.all(asked)).map((visited) =>
    [before[0] ?? "", active].filter((certificate) => {
      try {
        return readAnswer(visited, certificate).status !== "";
      } catch {
        return false;
      }
    }),
  );
  expect(signers.map(({ length }) => length)).toEqual(signers.map(() => 1));
});

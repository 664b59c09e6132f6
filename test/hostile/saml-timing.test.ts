import { performance } from "node:perf_hooks";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLoginPlace } from "../sites/oidc/support/login-place.ts";
import { toQuery, writeRequest } from "../sites/saml/support/messages.ts";
import {
  addScriptedParty,
  originOf,
  type ScriptedParty,
  switchOff,
} from "../sites/saml/support/scripted-party.ts";
import { startService, type TestService } from "../support/service.ts";

// Whoever guesses entity ids does not learn from the time of the answer that one is of an application that is switched off.

let service: TestService;
let off: ScriptedParty;
beforeAll(async () => {
  service = await startService();
  off = await addScriptedParty(service, await createLoginPlace(service));
  await switchOff(service, "application", off);
});
afterAll(() => service.stop());

/** Sends a request for a login in the name of the entity, and returns how long its refusal takes. */
async function send(entityId: string, isSigned: boolean): Promise<number> {
  const { host, href } = new URL(`${originOf(service)}/saml/v2/SSO`);
  const message = { entityId, id: "_asked", nowMs: service.clock.nowMs(), destination: href };
  const query = toQuery("SAMLRequest", writeRequest(message), { keys: isSigned ? off.keys : undefined });
  const begun = performance.now();
  const { status } = await service.http.send({
    method: "GET",
    path: `/saml/v2/SSO?${query}`,
    headers: { host },
  });
  const ms = performance.now() - begun;
  expect(status).toBe(400);
  return ms;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test.each([
  ["unsigned", false],
  ["signed", true],
])(
  "%s requests of unknown entities and of those switched off take the same time: medians differ by less than 20 %%",
  async (_name, isSigned) => {
    const samples = new Map<string, number[]>([
      [off.entityId, []],
      [off.entityId.replace(/^https:..sp/, "https://no"), []],
    ]);
    let spread = Infinity;
    // A machine that does other things needs more samples; a difference that is there never goes away.
    for (let round = 0; round < 16 && spread >= 1.2; round += 1) {
      for (let index = 0; index < 50; index += 1)
        for (const [entityId, taken] of samples) taken.push(await send(entityId, isSigned));
      const medians = [...samples.values()].map(median);
      spread = Math.max(...medians) / Math.min(...medians);
    }
    expect(spread).toBeLessThan(1.2);
  },
);

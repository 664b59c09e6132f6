import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { findWrongAnswers, listAttempts } from "../hostile/support/wire-attempts.ts";
import { startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createWorld } from "../support/world.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Of so many attempts one is made. */
const step = sized({ small: 7, full: 1 });

// One way each, another one with each field; `test/hostile/wire-types.test.ts` sends all of them in all ways.
test("a known field of any request is refused in every wire type that does not fit it", async () => {
  const { stranger } = await createWorld(service);
  const attempts = await listAttempts(stranger.token);
  expect(attempts.length).toBeGreaterThan(3000);
  const requests = attempts.flatMap(({ ways, isFitting }, index) => {
    if (index % step !== 0) return [];
    const way = ways[(index + Math.floor(index / ways.length)) % ways.length];
    return way === undefined ? [] : [{ request: way(), isFitting }];
  });
  expect(await findWrongAnswers(service.port, requests)).toEqual([]);
});

import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { anyHistory, runHistory } from "./history.ts";
import { openTestLog } from "./test-log.ts";
import { isLeast } from "../../support/size.ts";

test("after any history of commands, rebuild makes every table as it was", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyHistory(), async (steps) => {
      const log = await openTestLog();
      try {
        await runHistory(log, steps);
        const events = await log.events();
        const before = await log.dump();
        expect(await log.rebuild()).toBe(events.length);
        expect(await log.dump()).toEqual(before);
        for (const event of events) seen.add(event.type);
      } finally {
        await log.close();
      }
    }),
    { numRuns: isLeast ? 10 : 40 },
  );
  // The histories were no empty ones: at least these events are in hundreds of random steps.
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "organization.added",
      "user.added",
      "user.phone.set",
      "user.token.added",
      "membership.added",
      "identity_provider.added",
      "project.added",
      "project.changed",
      "project.role.added",
      "project_grant.added",
      "user_grant.added",
    ]),
  );
}, 120_000);

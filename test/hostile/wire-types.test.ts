import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type World } from "../support/world.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";
import { findWrongAnswers, listAttempts } from "./support/wire-attempts.ts";

let lab: Lab;
let world: World;
beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
});
afterAll(() => lab.discard());

test("each known field of each request, in each wire type, plain and compressed, is read alike in all content types", async () => {
  const attempts = await listAttempts(world.stranger.token);
  const requests = attempts.flatMap(({ ways, isFitting }) =>
    ways.map((way) => ({ request: way(), isFitting })),
  );
  process.stdout.write(`${requests.length} requests\n`);
  expect(await findWrongAnswers(lab.port, requests)).toEqual([]);
  expect(lab.faults()).toEqual([]);
}, 300_000);

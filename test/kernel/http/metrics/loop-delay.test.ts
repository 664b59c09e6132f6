import { expect, test } from "@jest/globals";
import { watchLoop } from "../../../../src/kernel/http/metrics/loop-delay.ts";
import { send } from "../support/http.ts";
import { startTestServer } from "../../../sites/rpc/support/server.ts";
import { eventually } from "../support/sockets.ts";

/** Keeps the event loop from everything else for so long. */
function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test("a stall of the loop is told for each time that was missed in it, with how late that was", async () => {
  const lates: number[] = [];
  const stop = watchLoop((lateSeconds) => lates.push(lateSeconds));
  await eventually(() => lates.length > 0);
  lates.length = 0;
  stall(500);
  await eventually(() => lates.length > 0);
  stop();
  // Each 50 ms less than the one before; the first is up to 50 ms shorter than the stall.
  expect(lates[0]).toBeGreaterThan(0.44);
  expect(lates.length).toBeGreaterThanOrEqual(9);
  for (const [index, late] of lates.entries()) expect(late).toBeCloseTo((lates[0] ?? 0) - index * 0.05, 3);
  lates.length = 0;
  const others: number[] = [];
  const stopOther = watchLoop((lateSeconds) => others.push(lateSeconds));
  await eventually(() => others.length > 2);
  stopOther();
  expect(lates).toEqual([]);
});

test("/metrics has the delay of the loop, the calls under way and the changes that wait", async () => {
  const server = await startTestServer({ waitingWrites: () => 17 });
  const read = async () => (await send(`${server.url}/metrics`)).text;
  const slow = async () => Number(/^gatehouse_loop_delay_seconds_sum (\S+)$/m.exec(await read())?.[1]);
  const before = await slow();
  stall(400);
  await eventually(async () => (await slow()) > before + 1);
  const text = await read();
  expect(text).toMatch(/^gatehouse_loop_delay_seconds_bucket\{le="0\.25"\} \d+$/m);
  expect(text).toMatch(/^gatehouse_calls_in_flight 1$/m);
  expect(text).toMatch(/^gatehouse_calls_refused_total 0$/m);
  expect(text).toMatch(/^gatehouse_writes_waiting 17$/m);
  await server.stop();
});

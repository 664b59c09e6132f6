import { expect, test } from "@jest/globals";
import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { createCallMetrics, type EndedCall } from "../../../../src/kernel/http/metrics/call-metrics.ts";

/** Counts calls with what prom-client has for it. */
function createReference(registry: Registry): (call: EndedCall) => void {
  const calls = new Counter({
    name: "gatehouse_calls_total",
    help: "Calls that ended, by method, lane and code: 0, the canonical code of a failed call, or the status of a failed page.",
    labelNames: ["method", "lane", "code"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "gatehouse_call_duration_seconds",
    help: "Time from the arrival of a call to the end of its answer, by method and lane.",
    labelNames: ["method", "lane"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ method, lane, code, seconds }) => {
    calls.inc({ method, lane, code });
    durations.observe({ method, lane }, seconds);
  };
}

/** Returns the lines of an exposition in the order of letters: which of them come first says nothing. */
function linesOf(text: string): readonly string[] {
  return text.split("\n").map(withSortedLabels).toSorted();
}

function withSortedLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_all, labels: string) => `{${labels.split(",").toSorted().join(",")}}`);
}

const call = record({
  method: constantFrom("a.B/C", "a.B/D", "unknown"),
  lane: constantFrom("grpc", "json"),
  code: constantFrom("0", "5", "16"),
  // Multiples of 2 ** -12, whose sums are the same in any order; among them the bounds 0.25, 0.5, 1, 2.5, 5 and 10.
  seconds: integer({ min: 0, max: 12 * 4096 }).map((part) => part / 4096),
});

test("calls are counted as prom-client counts them, at each time that somebody asks", async () => {
  await assert(
    asyncProperty(array(call), array(call), async (before, after) => {
      const own = createCallMetrics();
      const registry = new Registry();
      const reference = createReference(registry);
      for (const calls of [before, after]) {
        for (const each of calls) for (const count of [own.observe, reference]) count(each);
        expect(linesOf(own.text())).toEqual(linesOf(await registry.metrics()));
      }
    }),
  );
});

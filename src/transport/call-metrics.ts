import { Counter, type Histogram, type Registry } from "prom-client";

/** One call that ended. */
export interface EndedCall {
  readonly method: string;
  readonly lane: string;
  /** The canonical code. */
  readonly code: string;
  readonly seconds: number;
}

/** Upper bounds of the classes of durations, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The calls of one method, lane and code. */
interface Count {
  readonly labels: Pick<EndedCall, "method" | "lane" | "code">;
  calls: number;
  seconds: number;
  /** How many took up to each bound and longer than the one before; the last entry: longer than all. */
  readonly classes: number[];
}

/**
 * Registers the number and the durations of calls, and returns what counts one. It counts in numbers of its own, which
 * prom-client reads when somebody asks: its own counting sorts and joins the labels anew for each call.
 */
export function createCallMetrics(registry: Registry): (call: EndedCall) => void {
  const counts = new Map<string, Count>();
  const calls: Counter = new Counter({
    name: "gatehouse_calls_total",
    help: "Calls that ended, by method, lane and canonical code.",
    labelNames: ["method", "lane", "code"],
    registers: [registry],
    collect() {
      calls.reset();
      for (const count of counts.values()) calls.inc(count.labels, count.calls);
    },
  });
  const durations = {
    name: "gatehouse_call_duration_seconds",
    help: "Time from the arrival of a call to the end of its answer, by method and lane.",
    type: "histogram",
    aggregator: "sum",
  };
  // All that a registry asks of a metric.
  const histogram = { ...durations, get: async () => ({ ...durations, values: toValues(counts) }) };
  registry.registerMetric(histogram as unknown as Histogram);
  return ({ method, lane, code, seconds }) => {
    const key = `${method} ${lane} ${code}`;
    let count = counts.get(key);
    if (count === undefined) {
      const classes = [...bounds.map(() => 0), 0];
      counts.set(key, (count = { labels: { method, lane, code }, calls: 0, seconds: 0, classes }));
    }
    count.calls++;
    count.seconds += seconds;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++;
    count.classes[at] = (count.classes[at] ?? 0) + 1;
  };
}

/** Returns the lines of the histogram: of each method and lane, whatever the codes. */
function toValues(counts: ReadonlyMap<string, Count>) {
  const groups = Map.groupBy(counts.values(), ({ labels: { method, lane } }) => `${method} ${lane}`);
  return [...groups.values()].flatMap((group) => {
    const { method = "", lane = "" } = group[0]?.labels ?? {};
    const sum = (of: (count: Count) => number) => group.reduce((total, count) => total + of(count), 0);
    const line = (suffix: string, value: number, labels: Readonly<Record<string, string | number>>) => ({
      metricName: `gatehouse_call_duration_seconds_${suffix}`,
      value,
      labels,
    });
    const labels = { method, lane };
    let upTo = 0;
    const buckets = [...bounds, "+Inf"].map((le, at) => {
      upTo += sum((count) => count.classes[at] ?? 0);
      return line("bucket", upTo, { le, method, lane });
    });
    const total = sum(({ seconds }) => seconds);
    return buckets.concat(line("sum", total, labels), line("count", upTo, labels));
  });
}

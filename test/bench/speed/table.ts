import type { CallName, HttpVersion, Lane } from "./load.ts";

/** What one measurement found. */
export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server for a call. */
  readonly cpuUs: number;
  /** Share of its processor that the generator used, 0 to 1. */
  readonly generatorBusy: number;
  /** Calls a second over those of the bare @grpc/grpc-js echo in the same round, with as many in flight. */
  readonly ratio: number;
}

/** One server under one kind of load. */
export interface Cell {
  readonly server: string;
  readonly call: CallName;
  readonly lane: Lane;
  readonly http: HttpVersion;
  readonly inFlight: number;
  /** One of each round. */
  readonly measurements: readonly Measurement[];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints medians of all rounds, in Markdown; the ratio with its least and largest. */
export function printTable(cells: readonly Cell[]): void {
  const head = [
    "server",
    "call",
    "over",
    "in flight",
    "calls/s",
    "ratio (least to largest)",
    "p50 ms",
    "p99 ms",
    "CPU µs",
    "load CPU",
  ];
  const rows = cells.map(({ server, call, lane, http, inFlight, measurements }) => {
    const of = (key: keyof Measurement) => measurements.map((measurement) => measurement[key]);
    const ratios = of("ratio");
    return [
      server,
      call,
      `${lane}, HTTP/${http}`,
      String(inFlight),
      median(of("perSecond")).toFixed(0),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      median(of("p50Ms")).toFixed(2),
      median(of("p99Ms")).toFixed(2),
      median(of("cpuUs")).toFixed(0),
      `${(100 * median(of("generatorBusy"))).toFixed(0)} %`,
    ];
  });
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}

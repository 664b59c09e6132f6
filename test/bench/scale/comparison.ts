import type { CallName } from "../speed/load.ts";
import { median } from "../speed/table.ts";

export interface Measurement {
  /** Time of one call at so many in flight: the window over the answers in it. */
  readonly us: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly generatorBusy: number;
}

/** What one call was found to cost, round by round. */
export interface Comparison {
  readonly call: CallName;
  readonly small: Measurement[];
  readonly large: Measurement[];
}

/** Returns the cost in the large database over that in the small one, round by round. */
export function ratiosOf({ small: few, large: many }: Comparison, key: "us" | "cpuUs"): readonly number[] {
  return many.map((measurement, round) => measurement[key] / (few[round]?.[key] ?? Number.NaN));
}

/** Prints medians of all rounds, in Markdown; the ratios with their least and largest. */
export function printComparisons(comparisons: readonly Comparison[]): void {
  const head = ["call", "µs small", "µs large", "ratio (least to largest)", "CPU µs small", "CPU µs large"];
  head.push("CPU ratio (least to largest)", "p50 ms", "p99 ms", "load CPU");
  const rows = comparisons.map((comparison) => {
    const of = (side: "small" | "large", key: keyof Measurement, digits: number) =>
      median(comparison[side].map((measurement) => measurement[key])).toFixed(digits);
    const both = (key: keyof Measurement) => `${of("small", key, 2)}, ${of("large", key, 2)}`;
    const ratio = (key: "us" | "cpuUs") => {
      const ratios = ratiosOf(comparison, key);
      return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
    };
    const busy = Math.max(
      ...[...comparison.small, ...comparison.large].map(({ generatorBusy }) => generatorBusy),
    );
    return [
      comparison.call,
      of("small", "us", 0),
      of("large", "us", 0),
      ratio("us"),
      of("small", "cpuUs", 0),
      of("large", "cpuUs", 0),
      ratio("cpuUs"),
      both("p50Ms"),
      both("p99Ms"),
      `${(100 * busy).toFixed(0)} %`,
    ];
  });
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}

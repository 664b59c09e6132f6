import type { WorkerMetrics } from "./messages.ts";

/**
 * Puts metrics of several workers into one text: each series gets the label `worker`, with the slot. They are not added up, because
 * not every value can be.
 */
export function joinMetrics(all: readonly WorkerMetrics[]): string {
  /** By what stands above the series of a metric: its help and its type. */
  const metrics = new Map<string, string[]>();
  for (const { slot, text } of all.toSorted((a, b) => a.slot - b.slot)) {
    let series: string[] = [];
    let head: string[] = [];
    for (const line of text.split("\n")) {
      if (line === "") continue;
      if (line.startsWith("#")) {
        head = line.startsWith("# HELP ") ? [line] : [...head, line];
        continue;
      }
      if (head.length > 0) {
        const key = head.join("\n");
        series = metrics.get(key) ?? [];
        metrics.set(key, series);
        head = [];
      }
      series.push(withLabel(line, slot));
    }
  }
  return [...metrics].map(([head, series]) => `${head}\n${series.join("\n")}\n`).join("\n");
}

function withLabel(line: string, slot: number): string {
  const [, name = "", rest = ""] = /^([\w:]+)(.*)$/.exec(line) ?? [];
  const label = `worker="${slot}"`;
  return rest.startsWith("{") ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`;
}

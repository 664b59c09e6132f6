import type { Actor } from "./actors.ts";
import { nameIds, nameOf, type Trial, writeStep } from "./trial.ts";

/** What was done, by whom, and what the rights do not explain of what came of it. */
export interface Judged {
  readonly trial: Trial;
  readonly actor: Actor;
  readonly found: readonly string[];
}

/** More of it says nothing new: most have the same cause. */
const maxEntries = 20;
const maxGains = 4;

/** Collects what was found, in the words in which somebody can do it again. Of the same calls only the first is kept. */
export function createReport() {
  const entries = new Map<string, string>();
  return {
    isLong: () => entries.size >= maxEntries,
    add(at: string, { trial, actor, found }: Judged): void {
      const key = trial.steps.map(nameOf).join(" ");
      if (found.length === 0 || entries.has(key)) return;
      const worst = found.toSorted((left, right) => rankOf(left) - rankOf(right)).slice(0, maxGains);
      const lines = [
        `${at}: ${actor.name}`,
        ...trial.steps.map((step) => `  does: ${writeStep(trial, step)}`),
        ...worst.map((one) => `  so: ${nameIds(trial.things, one)}`),
        ...(found.length > maxGains ? [`  and ${found.length - maxGains} more`] : []),
      ];
      entries.set(key, lines.join("\n"));
    },
    text: () => [...entries.values()].join("\n"),
  };
}

/** Permissions are worse than claims. */
function rankOf(finding: string): number {
  return / learns /.test(finding) ? 1 : 0;
}

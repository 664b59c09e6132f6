import type { Finding } from "../../kernel/storage/finding.ts";

/** Returns the line to print. */
export function toLine({ state, check, detail }: Finding): string {
  return `${state.padEnd(7)} ${check}: ${detail.replaceAll(/\s+/g, " ")}`;
}

/** What one check found. A warning is nothing that fails, and worth a look. */
export interface Finding {
  readonly state: "ok" | "warning" | "FAILED";
  readonly check: string;
  /** What was found, and unless it is ok what to do. One line; no secret, nothing personal. */
  readonly detail: string;
}

/** Returns the line that is printed. */
export function toLine({ state, check, detail }: Finding): string {
  return `${state.padEnd(7)} ${check}: ${detail.replaceAll(/\s+/g, " ")}`;
}

/** Returns a finding that is ok when nothing is wrong. */
export function toFinding(check: string, fault: string | undefined, detail: string): Finding {
  return fault === undefined ? { state: "ok", check, detail } : { state: "FAILED", check, detail: fault };
}

/** The result of one check of `doctor`. A warning is not a failure, but should be looked at. */
export interface Finding {
  readonly state: "ok" | "warning" | "FAILED";
  readonly check: string;
  /** What was found and, unless it is ok, what to do. One line without secrets or personal data. */
  readonly detail: string;
}

/** Returns a finding that is ok unless there is a fault. */
export function toFinding(check: string, fault: string | undefined, detail: string): Finding {
  return fault === undefined ? { state: "ok", check, detail } : { state: "FAILED", check, detail: fault };
}

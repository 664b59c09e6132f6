/**
 * Isolates a name in a text, so that it changes the direction of nothing around it: what `<bdi>` does between tags, by the characters
 * that Unicode has for it, because texts also stand in titles and attributes (UAX #9, FSI and PDI). An older name may have isolates of
 * its own, which could end this one, so these are left out. A name that runs from left to right anyway stays as it is.
 */
export function isolate(name: string): string {
  return turning.test(name) ? `\u2068${name.replaceAll(/[\u2066-\u2069]/g, "")}\u2069` : name;
}

/** The scripts that run from right to left, and the characters that change the direction. */
const turning =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What a line of the plan says: something is added, is there already, lacks a part that cannot come along, or has a fault. */
export type Mark = "add" | "present" | "note" | "problem";

const signs: Readonly<Record<Mark, string>> = { add: "+", present: "=", note: "~", problem: "!" };

/** A line of the plan. */
export interface ReportLine {
  readonly mark: Mark;
  readonly where: string;
  /** Texts of the files in it are quoted by `quote`. */
  readonly text: string;
}

/** Collects the lines of a plan, and prints them in portions. */
export interface Report {
  add(...lines: readonly ReportLine[]): void;
  /** Prints what was added since. */
  flush(): Promise<void>;
  count(mark: Mark): number;
}

/** Creates a report. `shown`: the marks of the lines that are printed; all are counted. */
export function createReport(
  print: (text: string) => Promise<void>,
  shown: readonly Mark[] = ["add", "present", "note", "problem"],
): Report {
  const counts = new Map<Mark, number>();
  let waiting: string[] = [];
  return {
    add(...lines) {
      for (const { mark, where, text } of lines) {
        counts.set(mark, (counts.get(mark) ?? 0) + 1);
        if (shown.includes(mark)) waiting.push(`${signs[mark]} ${where}: ${text}`);
      }
    },
    async flush() {
      const lines = waiting;
      waiting = [];
      if (lines.length > 0) await print(lines.join("\n"));
    },
    count: (mark) => counts.get(mark) ?? 0,
  };
}

/** So much of a text of a file is shown. */
const maxShown = 100;

/** Quotes a text of a file, so that it can neither move the cursor of a terminal nor end the line. */
export function quote(text: string): string {
  const characters = Array.from(text);
  const cut = characters.length > maxShown ? `${characters.slice(0, maxShown).join("")}…` : text;
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

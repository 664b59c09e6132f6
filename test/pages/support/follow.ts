import { expect } from "@jest/globals";
import { elsewhere, readBlocks } from "./page.ts";
import { openShell, type Shell } from "./shell.ts";

/** What a reader does besides: after the first block that contains the text, with what that block printed. */
export type Besides = readonly [text: string, act: (shell: Shell, printed: string) => Promise<unknown>];

/** The first block of every page but README.md. */
export const beginning = ". docs/begin.sh\n";

/** A pattern of the whole text, in which … is what differs from run to run: some characters of one line. */
function toPattern(text: string): RegExp {
  const plain = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(`^${plain.replaceAll("…", ".+")}$`, "u");
}

/** Does what a page says, from its top to its end, as a reader does who pastes one block after the other. */
export async function expectExamples(page: string, besides: readonly Besides[] = []): Promise<void> {
  const shell = await openShell();
  const left = [...besides];
  try {
    for (const { language, name, code, printed } of readBlocks(page)) {
      if (language === "js" && name !== "") shell.save(name, code);
      if (language !== "sh" || name in elsewhere) continue;
      let output = "";
      if (name === "stays") await startAndWait(shell, code);
      else output = await shell.run(code);
      expect([page, code, checkPrinted(output, printed && shell.toHere(printed))]).toEqual([
        page,
        code,
        undefined,
      ]);
      const at = left.findIndex(([text]) => code.includes(text));
      for (const [, act] of at < 0 ? [] : left.splice(at, 1)) await act(shell, output);
    }
    expect(left.map(([text]) => text)).toEqual([]);
    await shell.run("kill %1; wait %1 || true");
    await expect(fetch(`${shell.at(8080)}/healthz`)).rejects.toThrow("fetch failed"); // what the page has started is gone
  } finally {
    await shell.close();
  }
}

/** Returns what is wrong with the output of a block; undefined: nothing is. */
function checkPrinted(output: string, printed: string | undefined): string | undefined {
  if (printed !== undefined) {
    const lines = output.replaceAll(/ +$/gm, "").trim();
    return toPattern(printed.trim()).test(lines) ? undefined : lines;
  }
  return /"code":\s*\d+,\s*"message"|"error":/.test(output) ? output : undefined; // an error that the page does not show
}

/** Programs that go on say so in their first line, or print nothing. */
async function startAndWait(shell: Shell, code: string): Promise<void> {
  const untilPrinted = await shell.runOn(code.replace("npm ci && ", ""));
  const first = code.includes("npm start")
    ? "gatehouse ready on"
    : code.includes("WatchEvents")
      ? '"project.added"'
      : "";
  await untilPrinted(first);
}

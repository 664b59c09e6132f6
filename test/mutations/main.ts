/**
 * Removes the guards of `guards.ts` one by one, each in a copy of the project, and shows which test turns red. Fails when
 * a guard can be removed unseen, when a guard has moved, and when a mutant fails for another reason than a test.
 *
 * `npm run test:mutations -- words` removes only the guards whose name holds one of the words.
 */
import { parseArgs } from "node:util";
import { type Guard, guards } from "./guards.ts";
import { createCopy, type ProjectCopy } from "./project-copy.ts";
import { endRuns, judge, type Run, runTests, type Verdict } from "./run-tests.ts";

interface Judged {
  readonly guard: Guard;
  readonly verdict: Verdict;
}

const parallel = 2;
const controlTimeoutMs = 240_000;
const mutantTimeoutMs = 90_000;

const { positionals: words } = parseArgs({ allowPositionals: true });
const chosen = guards.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const copies = Array.from({ length: parallel }, createCopy);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    endRuns();
    for (const copy of copies) copy.discard();
    process.exit(1);
  });
try {
  const moved = findMoved(chosen, copies);
  for (const line of moved) print(line);
  const isGreen = moved.length === 0 && (await runControl(copies, chosen));
  const judged = isGreen ? await removeEach(copies, chosen) : [];
  const failed = chosen.length - judged.filter(({ verdict }) => verdict.isCaught).length;
  printTable(judged);
  print(`mutations: ${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && chosen.length > 0 ? 0 : 1;
} finally {
  for (const copy of copies) copy.discard();
}

/** A text that is not in its file exactly once is no longer the guard: the table must follow. */
function findMoved(of: readonly Guard[], [copy]: readonly ProjectCopy[]): readonly string[] {
  return of.flatMap((guard) =>
    (copy?.findMoved(guard) ?? []).map(
      (find) => `moved   ${guard.name}: not exactly once in ${guard.file}: ${JSON.stringify(find)}`,
    ),
  );
}

/** Runs the tests of all guards without any mutation: a test that is red anyway proves nothing. */
async function runControl(on: readonly ProjectCopy[], of: readonly Guard[]): Promise<boolean> {
  const whole = new Set(of.filter(({ test }) => test === undefined).map(({ in: file }) => file));
  const narrowed = of.filter((guard) => guard.test !== undefined && !whole.has(guard.in));
  const byFile = Object.entries(Object.groupBy(narrowed, ({ in: file }) => file));
  const groups: readonly Run[] = [
    { files: [...whole], test: undefined, timeoutMs: controlTimeoutMs },
    ...byFile.map(([file, guardsOfFile = []]) => ({
      files: [file],
      test: [...new Set(guardsOfFile.map(({ test = "" }) => test))].join("|"),
      timeoutMs: controlTimeoutMs,
    })),
  ];
  const results = await inParallel(on, groups, async (copy, run) =>
    run.files.length === 0 ? undefined : runTests(copy.path, run),
  );
  const faults = results.flatMap((result) =>
    result === undefined || result.kind === "green" ? [] : [result.kind === "red" ? result.test : result.why],
  );
  for (const fault of faults) print(`control is not green: ${fault}`);
  return faults.length === 0;
}

async function removeEach(on: readonly ProjectCopy[], of: readonly Guard[]): Promise<readonly Judged[]> {
  return await inParallel(on, of, async (copy, guard) => {
    copy.remove(guard);
    try {
      const result = await runTests(copy.path, {
        files: [guard.in],
        test: guard.test,
        timeoutMs: mutantTimeoutMs,
      });
      const verdict = judge(result);
      print(lineOf({ guard, verdict }));
      return { guard, verdict };
    } finally {
      copy.restore(guard);
    }
  });
}

/** Works through the items with one worker for each copy; results are in the order of the items. */
async function inParallel<T, R>(
  on: readonly ProjectCopy[],
  items: readonly T[],
  work: (copy: ProjectCopy, item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const waiting = [...items.entries()];
  await Promise.all(
    on.map(async (copy) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        results.set(next[0], await work(copy, next[1]));
    }),
  );
  return items.flatMap((_item, index) => (results.has(index) ? [results.get(index) as R] : [])); // it is there
}

function lineOf({ guard, verdict }: Judged): string {
  if (verdict.isCaught) return `caught  ${guard.name} — ${guard.in} › ${JSON.stringify(verdict.by)}`;
  return `MISSED  ${guard.name} — ${guard.in}: ${verdict.why}`;
}

function printTable(judged: readonly Judged[]): void {
  print("");
  for (const { guard, verdict } of judged) {
    const by = verdict.isCaught ? `${guard.in} › ${verdict.by}` : `NOT CAUGHT: ${verdict.why}`;
    print(`| ${guard.name} | ${guard.file} | ${by.replaceAll("|", "/")} |`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

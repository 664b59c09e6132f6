/**
 * Removes the guards of `guards.ts` one by one, each in a copy of the project, and shows which test turns red, and in which
 * tier. The test must be green with the guard. Fails when a guard can be removed unseen, when a guard has moved, and when a mutant fails for
 * another reason than a test.
 *
 * `npm run test:mutations -- words` removes only the guards whose name holds one of the words. `--after-tests` says that
 * `npm test` and `npm run test:process` have just been green for the same sources: most tests are not run with the guard then, and
 * only guards that are not caught are printed. `--changed` removes those whose source or test the change touches
 * (`support/touched.ts`), `--within 120` begins none after so many seconds; that all guards are where the table says is looked at
 * in any case.
 */
import { parseArgs } from "node:util";
import { type Guard, guards } from "./guards.ts";
import { createCopy, type ProjectCopy } from "./project-copy.ts";
import { tiersOf } from "../support/tiers.ts";
import { listTouched } from "../support/touched.ts";
import { createTestRunner, judge, type TestRunner, type Verdict } from "./run-tests.ts";

interface Judged {
  readonly guard: Guard;
  readonly verdict: Verdict;
  readonly durationMs: number;
}

/** Where guards are removed, one at a time. */
interface Bench {
  readonly copy: ProjectCopy;
  readonly runner: TestRunner;
}

/** One more than .ci/run has cores: many tests wait, most of all those that are red. */
const parallel = 3;
const timeoutMs = 90_000;

const { positionals: words, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    "after-tests": { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
    within: { type: "string" },
  },
});
const endMs = flags.within === undefined ? Infinity : performance.now() + Number(flags.within) * 1000;
const touched = flags.changed ? new Set(listTouched()) : undefined;
const chosen = guards.filter(
  ({ name, file, in: test }) =>
    (touched === undefined || touched.has(file) || touched.has(test)) &&
    (words.length === 0 || words.some((word) => name.includes(word))),
);
const benches = Array.from({ length: parallel }, createBench);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    clear();
    process.exit(1);
  });
try {
  const moved = findMoved(guards);
  for (const line of moved) print(line);
  const judged = moved.length === 0 ? await removeEach(chosen) : [];
  const caught = judged.filter(({ verdict }) => verdict.isCaught).length;
  const failed = judged.length - caught + moved.length;
  if (judged.length < chosen.length) print(`${chosen.length - judged.length} guards were not removed`);
  for (const each of judged) if (!each.verdict.isCaught) print(rowOf(each));
  const byTier = Map.groupBy(judged, ({ guard }) => tierOf(guard));
  print([...byTier].map(([tier, { length }]) => `${length} in the tier ${tier}`).join(", "));
  print(`mutations: ${caught} passed, ${failed} failed`);
  process.exitCode = failed === 0 && (chosen.length > 0 || flags.changed) ? 0 : 1;
} finally {
  clear();
  await Promise.all(benches.map(({ runner }) => runner.close()));
}

function createBench(): Bench {
  const copy = createCopy();
  return { copy, runner: createTestRunner(copy) };
}

function clear(): void {
  for (const { runner } of benches) runner.end();
  for (const { copy } of benches) copy.discard();
}

/** A text that is not in its file exactly once is no longer the guard: the table must follow. */
function findMoved(of: readonly Guard[]): readonly string[] {
  return of.flatMap((guard) =>
    (benches[0]?.copy.findMoved(guard) ?? []).map(
      (find) => `moved   ${guard.name}: not exactly once in ${guard.file}: ${JSON.stringify(find)}`,
    ),
  );
}

/** Returns what came of each guard that was removed before the time was over, in the order of the guards. */
async function removeEach(of: readonly Guard[]): Promise<readonly Judged[]> {
  const byTests = Object.values(Object.groupBy(of, (guard) => guard.in)).filter((each) => each !== undefined);
  // The longest first, so that the benches end together.
  const waiting = byTests.toSorted((a, b) => b.length - a.length);
  const ended = new Map<Guard, Judged>();
  await Promise.all(
    benches.map(async (bench) => {
      for (
        let next = waiting.shift();
        next !== undefined && performance.now() < endMs;
        next = waiting.shift()
      )
        for (const judged of await removeEachOf(bench, next)) {
          ended.set(judged.guard, judged);
          if (!judged.verdict.isCaught || !flags["after-tests"]) print(lineOf(judged));
        }
    }),
  );
  return of.flatMap((guard) => ended.get(guard) ?? []);
}

/**
 * Removes guards that have their tests in one file, as long as there is time. A test that is red with the guards, too, proves nothing: all are run with
 * them, or after the tests only those that did not end in time, since the machine may be slower now.
 */
async function removeEachOf(bench: Bench, of: readonly Guard[]): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const guard of of) if (performance.now() < endMs) judged.push(await removeOne(bench, guard));
  const isDoubtful = ({ verdict }: Judged) =>
    verdict.isCaught && (verdict.isTimeout || !flags["after-tests"]);
  const names = new Set(
    judged.filter(isDoubtful).flatMap(({ verdict }) => (verdict.isCaught ? [verdict.by] : [])),
  );
  const [first] = of;
  if (first === undefined || names.size === 0) return judged;
  const test = `^(${[...names].map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("|")})$`;
  const control = await bench.runner.run({ files: [first.in], test, timeoutMs });
  if (control.kind === "green" && control.count >= names.size) return judged;
  const why = `the tests are not green with the guard: ${JSON.stringify(control)}`;
  return judged.map((each) =>
    each.verdict.isCaught ? Object.assign(each, { verdict: { isCaught: false, why } }) : each,
  );
}

async function removeOne({ copy, runner }: Bench, guard: Guard): Promise<Judged> {
  const started = performance.now();
  copy.remove(guard);
  try {
    const verdict = judge(await runner.run({ files: [guard.in], test: guard.test, timeoutMs }));
    return { guard, verdict, durationMs: performance.now() - started };
  } finally {
    copy.restore(guard);
  }
}

function lineOf({ guard, verdict, durationMs }: Judged): string {
  const took = `${(durationMs / 1000).toFixed(1)} s`;
  if (verdict.isCaught)
    return `caught  ${guard.name} — ${took}, ${tierOf(guard)}: ${guard.in} › ${JSON.stringify(verdict.by)}`;
  return `MISSED  ${guard.name} — ${took}, ${guard.in}: ${verdict.why}`;
}

/** Returns the tier that turns red without the guard. Files with a size are in a second one, and run small here. */
function tierOf({ in: file }: Guard): string {
  const [tier] = tiersOf(file);
  if (tier === undefined) throw new Error(`no tier runs ${file}`);
  return tier;
}

/** What was wrong once more, at the end, where it is seen. */
function rowOf({ guard, verdict }: Judged): string {
  const why = verdict.isCaught ? "" : verdict.why;
  return `NOT CAUGHT | ${guard.name} | ${guard.file} | ${tierOf(guard)}: ${guard.in} | ${why}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

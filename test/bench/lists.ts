/**
 * Measures what a page of 50 costs out of 1,000 and out of 1,000,000 objects, through the commands of the features:
 * `npm run bench:lists [larger size] [-- --only <words in the name of a list>]`. Both databases are asked in turn, so that what else the machine does weighs on
 * both. Before it measures a list it walks through all of it and counts. Prints medians in microseconds and their ratio.
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { openInstallation } from "../../src/app/installation.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { fillGround } from "./list-ground.ts";
import { type ListCase, listCases, type ReadPage } from "./list-cases.ts";

const pageSize = 50;
const rounds = 300;
const warmUpRounds = 50;
const { positionals, values: options } = parseArgs({
  options: { only: { type: "string" } },
  allowPositionals: true,
});
const sizes = [1000, Number(positionals[0] ?? 1_000_000)] as const;

interface Opened {
  readonly size: number;
  readonly cases: readonly ListCase[];
  close(): Promise<void>;
}

async function open(size: number): Promise<Opened> {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, "data");
  const made = await openInstallation({ dataFolder: path }, { isNewAllowed: true });
  await made.instance.create(() => {});
  await made.close();
  const startedMs = performance.now();
  fillGround({ file: made.folder.database, size });
  console.log(`${size} of each kind in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  const installation = await openInstallation({ dataFolder: path }, { isNewAllowed: false });
  return {
    size,
    cases: listCases(installation.context, size),
    async close() {
      await installation.close();
      folder.remove();
    },
  };
}

/** Tokens that lead to pages in the middle, and the one that leads to the last page. */
interface Walk {
  readonly total: number;
  readonly middle: readonly string[];
  readonly last: string;
}

/** Reads the whole list by pages of up to 1,000, and the end of it by pages of 50. */
async function walk(read: ReadPage, total: number): Promise<Walk> {
  const tokens: string[] = [];
  let seen = 0;
  let token = "";
  let last = "";
  do {
    const rest = total - seen;
    const size = rest > 2 * 1000 ? 1000 : pageSize;
    last = token;
    const page = await read({ pageSize: size, pageToken: token, countTotal: false });
    seen += page.items.length;
    token = page.nextPageToken;
    tokens.push(token);
  } while (token !== "");
  if (seen !== total) throw new Error(`the list has ${total} objects, ${seen} were seen`);
  const quarter = Math.floor(tokens.length / 4);
  return { total, middle: tokens.slice(quarter, Math.max(tokens.length - quarter, quarter + 1)), last };
}

/** Returns the medians of reading the pages that `tokens` lead to, of each of the lists. */
async function compare(
  lists: readonly { readonly read: ReadPage; readonly tokens: readonly string[] }[],
): Promise<readonly number[]> {
  const times: number[][] = lists.map(() => []);
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const [index, { read, tokens }] of lists.entries()) {
      // Neighbours of a page just read would be in memory: the rounds leap through the list.
      const pageToken = tokens[((round + warmUpRounds) * 7919) % tokens.length] ?? "";
      const startedMs = performance.now();
      await read({ pageSize, pageToken, countTotal: false });
      if (round >= 0) times[index]?.push((performance.now() - startedMs) * 1000);
    }
  }
  return times.map((values) => values.toSorted((left, right) => left - right)[rounds / 2] ?? Number.NaN);
}

function print(name: string, position: string, [small = 0, large = 0]: readonly number[]): number {
  const ratio = large / small;
  console.log(
    `${name.padEnd(52)} ${position.padEnd(7)} ${small.toFixed(0).padStart(6)} ${large.toFixed(0).padStart(6)}   ${ratio.toFixed(2)}`,
  );
  return ratio;
}

const startedMs = performance.now();
console.log(`node ${process.version}, load average ${loadavg()[0]?.toFixed(1)}`);
const opened = [await open(sizes[0]), await open(sizes[1])];
const ratios: number[] = [];
console.log(`${"list".padEnd(52)} page    ${sizes.map((size) => `${size}`).join(" ")} ratio`);
for (const [index, { name }] of (opened[0]?.cases ?? []).entries()) {
  if (!name.includes(options.only ?? "")) continue;
  const lists = await Promise.all(
    opened.flatMap(({ cases }) => {
      const found = cases[index];
      return found === undefined
        ? []
        : [walk(found.read, found.total).then((walked) => ({ read: found.read, walked }))];
    }),
  );
  const at = (tokens: (walked: Walk) => readonly string[]) =>
    compare(lists.map(({ read, walked }) => ({ read, tokens: tokens(walked) })));
  ratios.push(print(name, "first", await at(() => [""])));
  if (lists.some(({ walked }) => walked.total <= pageSize)) continue;
  ratios.push(print(name, "middle", await at(({ middle }) => middle)));
  ratios.push(print(name, "last", await at(({ last }) => [last])));
}
console.log(
  `largest ratio ${Math.max(...ratios).toFixed(2)}, ${((performance.now() - startedMs) / 1000).toFixed(0)} s`,
);
for (const { close } of opened) await close();

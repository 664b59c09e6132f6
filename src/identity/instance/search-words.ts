import type { FeatureContext } from "../context.ts";
import { searchedApplications } from "../applications/search-repository.ts";
import { searchedGroups } from "../groups/search-repository.ts";
import { searchedOrganizations } from "../organizations/search-repository.ts";
import { searchedProjects } from "../projects/search-repository.ts";
import { searchedUsers } from "../people/user/search-repository.ts";
import { findSearchWordsSequence, putSearchWordsSequence } from "./repository.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { Searched } from "../search/searched.ts";

/** What is found by words. */
export const searched: readonly Searched[] = [
  searchedOrganizations,
  searchedUsers,
  searchedProjects,
  searchedApplications,
  searchedGroups,
];

/** For so long after the first start, processes of the version before may serve a shared database. They note no words. */
const updateMs = 24 * 60 * 60 * 1000;

/** What is noted in a write: little where other processes wait for it. */
const ofSome = { limit: 500, isNew: false };
/** Where there are none, the more there is, the more of it lies on each page that is written. */
const ofNew = { limit: 100_000, isNew: true };

/**
 * Notes the words of what an earlier version has stored: a million users take about a minute. In a database that several processes
 * share, later starts note those of what has changed since, which a process of that version may have done, until one begins a day after
 * the first. An interruption is harmless: the next start begins again.
 */
export async function fillSearchWords({
  database,
  clock,
}: Pick<FeatureContext, "database" | "clock">): Promise<void> {
  const first = await database.read(findSearchWordsSequence);
  if (first === Infinity) return;
  const now = await database.read(processedSequence);
  const isShared = database.refresh() !== undefined;
  const isDone = first !== undefined && !isShared; // by a version that went on for a day
  for (const { fill, empty } of isDone ? [] : searched) {
    if (!isShared) await database.write(empty); // what an interrupted start has noted
    let after: string | undefined = "";
    while (after !== undefined) {
      const part: Parameters<typeof fill>[1] = { after, since: first ?? 0, ...(isShared ? ofSome : ofNew) };
      after = await database.write((tx) => fill(tx, part));
    }
  }
  const isLast = !isShared || now === 0 || (first !== undefined && clock.nowMs() > first / 1000 + updateMs);
  await database.write((tx) => putSearchWordsSequence(tx, isLast ? Infinity : (first ?? now)));
  if (first !== undefined) await database.purge(); // former names and addresses were among the words
}

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

/** For so long after the first start, processes of the version before may serve the same database. They note no words. */
const updateMs = 24 * 60 * 60 * 1000;

/**
 * Notes the words of what an earlier version has stored: a million users take about a minute. Later starts note those of what has
 * changed since, which a process of that version may have done, until one begins a day after the first. An interruption is harmless:
 * the next start begins again.
 */
export async function fillSearchWords({
  database,
  clock,
}: Pick<FeatureContext, "database" | "clock">): Promise<void> {
  const first = await database.read(findSearchWordsSequence);
  if (first === Infinity) return;
  const now = await database.read(processedSequence);
  for (const { fill } of searched) {
    let after: string | undefined = "";
    while (after !== undefined) {
      const from: Parameters<typeof fill>[1] = { after, since: first ?? 0 };
      after = await database.write((tx) => fill(tx, from));
    }
  }
  const isLast = now === 0 || (first !== undefined && clock.nowMs() > first / 1000 + updateMs);
  await database.write((tx) => putSearchWordsSequence(tx, isLast ? Infinity : (first ?? now)));
  if (first !== undefined) await database.purge(); // former names and addresses were among the words
}

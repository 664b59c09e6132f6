import type { FeatureContext } from "../context.ts";
import { searchedApplications } from "../applications/search-repository.ts";
import { searchedOrganizations } from "../organizations/search-repository.ts";
import { searchedProjects } from "../projects/search-repository.ts";
import { searchedUsers } from "../people/user/search-repository.ts";
import { areSearchWordsFilled, noteSearchWordsFilled } from "./repository.ts";
import type { Searched } from "../search/searched.ts";

/** What is found by words. */
export const searched: readonly Searched[] = [
  searchedOrganizations,
  searchedUsers,
  searchedProjects,
  searchedApplications,
];

/**
 * Notes the words of what an earlier version has stored, once: a million users take about a minute. An interruption is harmless: the
 * next start begins again.
 */
export async function fillSearchWords({ database }: Pick<FeatureContext, "database">): Promise<void> {
  if (await database.read(areSearchWordsFilled)) return;
  for (const { fill } of searched) {
    let after: string | undefined = "";
    while (after !== undefined) {
      const from: string = after;
      after = await database.write((tx) => fill(tx, from));
    }
  }
  await database.write(noteSearchWordsFilled);
}

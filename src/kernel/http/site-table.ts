import type { Site } from "./site.ts";

/** Finds the site that takes a path. */
export type FindSite = (path: string) => Site;

/** A path. `/*` at its end stands for all paths below it. */
const pathPattern = /^\/[^*?#]*?(?<prefix>\/\*)?$/;

/**
 * Puts the sites into a table. The first one in the list that takes a path gets its requests. Throws for a site that no request
 * could reach, because one before it takes all of a path, and for a list in which no site takes all other paths.
 */
export function createSiteTable(sites: readonly Site[]): FindSite {
  const exact = new Map<string, Site>();
  const prefixes: (readonly [string, Site])[] = [];
  let others: Site | undefined;
  const findByPrefix = (path: string): Site | undefined =>
    prefixes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? others;
  for (const site of sites) {
    for (const path of site.paths === "others" ? [] : site.paths) {
      const match = pathPattern.exec(path);
      if (match === null) throw new Error(`the site ${site.name} cannot take ${path}: that is no path`);
      const isPrefix = match.groups?.["prefix"] !== undefined;
      const begin = isPrefix ? path.slice(0, -1) : path;
      const before = (isPrefix ? undefined : exact.get(path)) ?? findByPrefix(begin);
      if (before !== undefined)
        throw new Error(`the site ${site.name} cannot take ${path}: ${before.name} takes it`);
      if (isPrefix) prefixes.push([begin, site]);
      else exact.set(path, site);
    }
    if (site.paths !== "others") continue;
    if (others !== undefined)
      throw new Error(`the site ${site.name} cannot take all other paths: ${others.name} does`);
    others = site;
  }
  if (others === undefined) throw new Error("no site takes all other paths");
  const rest = others;
  return (path) => exact.get(path) ?? findByPrefix(path) ?? rest;
}

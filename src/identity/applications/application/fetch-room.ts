import { Problem } from "../../../kernel/base/problem.ts";

const maxFetchesPerOrganization = 10;
/** The longest that a fetch may take. */
export const maxFetchMs = 5000;

/** Counts the fetches that are under way for each organization. */
export interface FetchRoom {
  /** Fetches, unless the organization has reached its limit: then nothing is fetched, and the answer is `busy`. */
  enter<T>(organizationId: string, fetch: () => Promise<T>): Promise<T | "busy">;
}

/** Creates the count, of which there is one for a service. */
export function createFetchRoom(): FetchRoom {
  const underWay = new Map<string, number>();
  return {
    async enter(organizationId, fetch) {
      const count = underWay.get(organizationId) ?? 0;
      if (count >= maxFetchesPerOrganization) return "busy";
      underWay.set(organizationId, count + 1);
      try {
        return await fetch();
      } finally {
        const left = (underWay.get(organizationId) ?? 1) - 1;
        if (left === 0) underWay.delete(organizationId);
        else underWay.set(organizationId, left);
      }
    },
  };
}

/**
 * Returns the problem of an organization that has reached its limit of fetches in progress. The reason is
 * RATE_LIMITED and not OVERLOADED, because the limit is the organization's own; the service can serve others.
 */
export function tooManyFetches(): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "RATE_LIMITED",
    message: `the organization already has ${maxFetchesPerOrganization} fetches of metadata in progress; try again in a moment`,
    retryAfterMs: maxFetchMs,
  });
}

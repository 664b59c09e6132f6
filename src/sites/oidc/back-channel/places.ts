import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { WaitingApplication } from "../../../identity/protocol-state/logout-notices/logout-notice.ts";

/** So many tries are under way at once in a process. */
const maxAtOnce = 64;
/** So many of them to the same host, so that one that hangs leaves places to others; and for applications of one organization. */
const maxPerHost = 4;
const maxPerOrganization = 16;
/** Once this half of the places is taken, an organization gets none beyond so many: a few whose hosts hang leave places to others. */
const half = maxAtOnce / 2;
const maxPerOrganizationBeyondHalf = 4;

/** Counts the tries under way. */
export interface Places {
  /** Says how many tries for the application may begin now. */
  freeFor(application: WaitingApplication): number;
  /** Takes a place. Call the function that is returned, once, when the try has ended. */
  take(application: WaitingApplication): () => void;
  isFull(): boolean;
}

/** Creates places that are all free. */
export function createPlaces(): Places {
  const counts = new Map<string, number>();
  let all = 0;
  const free = (key: string, max: number) => max - (counts.get(key) ?? 0);
  const freeForOrganization = (key: string) =>
    Math.min(free(key, maxPerOrganization), Math.max(half - all, free(key, maxPerOrganizationBeyondHalf)));
  const add = (key: string, by: number) => {
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  return {
    freeFor(application) {
      const { host, organization } = keysOf(application);
      return Math.max(
        0,
        Math.min(maxAtOnce - all, free(host, maxPerHost), freeForOrganization(organization)),
      );
    },
    take(application) {
      const { host, organization } = keysOf(application);
      const count = (by: number) => {
        all += by;
        add(host, by);
        add(organization, by);
      };
      count(1);
      return () => count(-1);
    },
    isFull: () => all >= maxAtOnce,
  };
}

/** Notices for an application without a URI connect to no host: it has one of its own. */
function keysOf({ id, organizationId, uri }: WaitingApplication) {
  const host = URL.parse(uri)?.hostname ?? (id satisfies ApplicationId);
  return { host: `host ${host}`, organization: `organization ${organizationId}` };
}

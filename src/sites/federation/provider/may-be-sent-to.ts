import type { ProviderFetch } from "./provider-fetch.ts";

/**
 * Says whether browsers may be sent to a URL. It may be in a private network: only the browser goes there. Without https it is one that
 * may be fetched from, for trials.
 */
export function mayBeSentTo(
  { fetcher }: { readonly fetcher: Pick<ProviderFetch, "violationOf"> },
  url: string,
): boolean {
  return new URL(url).protocol === "https:" || fetcher.violationOf(url) === undefined;
}

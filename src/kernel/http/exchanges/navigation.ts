import type { Exchange } from "./exchange.ts";

/**
 * Says whether the browser asks for a page that it shows with the cookies of this site (Fetch Metadata §2.1): the whole window, or a
 * frame in a page of the same site. An image or a script of another page is neither, nor is a frame in a page of another site, which
 * has no cookie that is SameSite=Lax. A client that does not say, such as an old browser, passes.
 */
export function isNavigation(exchange: Pick<Exchange, "header">): boolean {
  const destination = exchange.header("sec-fetch-dest");
  if (destination === undefined || destination === "document") return true;
  const isFrame = destination === "iframe" || destination === "frame";
  return isFrame && exchange.header("sec-fetch-site") !== "cross-site";
}

/**
 * Says whether a page fetches this, as it does an image, a script or data, so that no window or frame shows the answer (Fetch Metadata
 * §2.1). A client that does not say, such as an old browser, does not; nor does one that sends only `sec-fetch-mode`, as the `fetch` of
 * Node does.
 */
export function isFetchedByPage(exchange: Pick<Exchange, "header">): boolean {
  return !shownDestinations.has(exchange.header("sec-fetch-dest") ?? "document");
}

const shownDestinations: ReadonlySet<string> = new Set([
  "document",
  "iframe",
  "frame",
  "fencedframe",
  "object",
  "embed",
]);

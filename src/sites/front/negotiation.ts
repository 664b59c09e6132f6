/** The codings in which a file may lie beside itself, the best one first. */
export const codings = ["br", "gzip"] as const;

/** One of them (RFC 9110 §8.4.1). */
export type Coding = (typeof codings)[number];

/**
 * Says whether a client with this `accept` would rather read a page than JSON (RFC 9110 §12.5.1). A page is only for requests that
 * ask for it: a program that takes anything gets JSON.
 */
export function prefersPage(accept: string | undefined): boolean {
  const weights = readWeights(accept);
  const page = weights.get("text/html") ?? weights.get("text/*") ?? 0;
  const json = weights.get("application/json") ?? weights.get("application/*") ?? weights.get("*/*") ?? 0;
  return page > 0 && page >= json;
}

/** Chooses the coding of an answer among those that there are (RFC 9110 §12.5.3); undefined: none, the bytes as they are. */
export function chooseCoding(
  acceptEncoding: string | undefined,
  available: (coding: Coding) => boolean,
): Coding | undefined {
  const weights = readWeights(acceptEncoding);
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = codings
    .filter((coding) => available(coding) && weightOf(coding) > 0)
    .toSorted((left, right) => weightOf(right) - weightOf(left));
  return best;
}

/** Says whether one of the tags of an `if-none-match` is this one. Weak ones count too (RFC 9110 §13.1.2). */
export function isTagNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || ifNoneMatch.trim() === "*";
}

/** Reads a list of names with weights (RFC 9110 §12.4.2): 1 for a name without a weight, 0 for a weight that is none. */
function readWeights(header = ""): ReadonlyMap<string, number> {
  const entries = header.split(",").map((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    return [name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0] as const;
  });
  return new Map(entries);
}

/** So many users are read, or changed, at once. */
export const portionSize = 200;

/** Yields all of a list in portions. */
export function* inPortions<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += portionSize) yield all.slice(start, start + portionSize);
}

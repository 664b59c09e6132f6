/** The rows of a long list that are drawn: from the first up to, and without, the end. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

const spare = 8;

/** Returns the rows that can be seen, with some more on either side. */
export function visibleRows(list: {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
}): RowWindow {
  const { count, rowHeight, scrollTop, height } = list;
  const first = Math.floor(scrollTop / rowHeight) - spare;
  const end = Math.ceil((scrollTop + height) / rowHeight) + spare;
  return { first: Math.max(0, Math.min(first, count - 1)), end: Math.max(0, Math.min(end, count)) };
}

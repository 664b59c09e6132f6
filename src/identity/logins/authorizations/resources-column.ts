/** Writes the ids of the APIs that a request names, as a column holds them: JSON, null for none. */
export function toResourcesColumn(resources: readonly string[]): string | null {
  return resources.length === 0 ? null : JSON.stringify(resources);
}

/** Reads what `toResourcesColumn` has written. */
export function fromResourcesColumn(column: string | null): readonly string[] {
  return column === null ? [] : (JSON.parse(column) as readonly string[]); // written above
}

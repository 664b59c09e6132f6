/** The part of a browser's storage that the console uses. */
export function createStorage(entries: Readonly<Record<string, string>> = {}): Storage {
  const store: Record<string, unknown> = { ...entries };
  const methods = {
    getItem: (name: string) => (Object.hasOwn(store, name) ? store[name] : null),
    setItem: (name: string, value: string) => (store[name] = value),
    removeItem: (name: string) => delete store[name],
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(store, name, { value });
  return store as unknown as Storage; // it has what is used
}

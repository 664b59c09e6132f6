/** What is shown of an object that others mention by its id. */
export interface NamedObject {
  readonly id: string;
  /** Its name; the id, where the user of the console may not read it. */
  readonly title: string;
  /** The organization that it belongs to; absent where it may not be read. */
  readonly organizationId?: string | undefined;
  /** Of an application: the project that it is in. */
  readonly projectId?: string | undefined;
}

/** Says whether the text may be an id: a positive decimal number. */
export function isId(text: string): boolean {
  return /^[1-9]\d*$/.test(text);
}

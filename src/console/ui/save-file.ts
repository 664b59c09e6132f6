/** A file that the browser keeps. */
export interface SavedFile {
  readonly name: string;
  /** Such as `application/json`. */
  readonly type: string;
  readonly content: string | Uint8Array;
}

/** Lets the browser keep a file among its downloads. */
export function saveFile({ name, type, content }: SavedFile): void {
  const part = typeof content === "string" ? content : new Uint8Array(content);
  const url = URL.createObjectURL(new Blob([part], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

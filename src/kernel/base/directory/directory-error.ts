/**
 * Why a directory is of no use at the moment. `unreachable`: no connection, or no answer in time: another server may have it.
 * `refused`: the server answers, but does not do what is asked.
 */
export type DirectoryErrorKind = "unreachable" | "refused";

/** A directory did not answer as it should. `detail` is for the log: it holds a result code at most, nothing that was sent or read. */
export class DirectoryError extends Error {
  readonly kind: DirectoryErrorKind;
  readonly detail: string;

  constructor(kind: DirectoryErrorKind, detail: string) {
    super(`${kind}: ${detail}`);
    this.name = "DirectoryError";
    this.kind = kind;
    this.detail = detail;
  }
}

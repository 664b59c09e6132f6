/** The database cannot be used as it is. The message is for the person who started the process and shows no password. */
export class DatabaseUnusableError extends Error {}

/** Another process is using the database in a way that this one must not meet. */
export class DatabaseBusyError extends DatabaseUnusableError {}

/** The URL of the database is wrong, or a file that it names cannot be used. */
export class DatabaseAddressError extends DatabaseUnusableError {
  constructor(message: string, options?: ErrorOptions) {
    super(`the URL of the database cannot be used: ${message}`, options);
  }
}

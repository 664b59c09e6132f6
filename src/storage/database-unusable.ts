/** The database cannot be used as it is. The message is for the person who started the process and shows no password. */
export class DatabaseUnusableError extends Error {}

/** Another process is using the database in a way that this one must not meet. */
export class DatabaseBusyError extends DatabaseUnusableError {}

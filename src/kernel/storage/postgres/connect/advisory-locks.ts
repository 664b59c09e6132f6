/**
 * The keys of the advisory locks, two numbers each: "gh" in ASCII, and which lock. They stand together because two purposes
 * must not share one.
 */
export const advisoryLocks = {
  /** Held by the process that migrates, until it is done. */
  migration: "26472, 1",
  /** Held by every process for as long as it runs, shared or alone. */
  presence: "26472, 2",
  /** Held by the process that leads, for as long as it does. */
  leader: "26472, 3",
  /** Held by the process that vacuums, until it is done. */
  vacuum: "26472, 4",
} as const;

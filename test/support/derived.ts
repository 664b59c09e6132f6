import type { Contract } from "../../src/sites/rpc/endpoints/contract.ts";

/**
 * What follows from `src/` alone and takes long to make: kept for all files of a worker (`.tools/runtime.cjs`), and made by the first
 * that needs it.
 */
export const derived: {
  /** The contract of a service, and that of a test server. */
  contract?: Contract;
  serverContract?: Contract;
  /** An empty database of SQLite after all migrations. */
  migrated?: Buffer;
} = {};

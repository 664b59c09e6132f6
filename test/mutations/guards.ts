import { accessGuards } from "./access-guards.ts";
import { conditionGuards } from "./condition-guards.ts";
import { conditionalCallGuards } from "./conditional-call-guards.ts";
import { batchGuards } from "./batch-guards.ts";
import { documentGuards } from "./document-guards.ts";
import { eventGuards } from "./event-guards.ts";
import { fieldGuards } from "./field-guards.ts";
import { factorGuards } from "./factor-guards.ts";
import { houseGuards } from "./house-guards.ts";
import { laneGuards } from "./lane-guards.ts";
import { lifeGuards } from "./life-guards.ts";
import { loadGuards } from "./load-guards.ts";
import { messageGuards } from "./message-guards.ts";
import { inputGuards } from "./input-guards.ts";
import { postgresGuards } from "./postgres-guards.ts";
import { oidcGuards } from "./oidc-guards.ts";
import { storageGuards } from "./storage-guards.ts";
import { tenancyGuards } from "./tenancy-guards.ts";
import { tokenGuards } from "./token-guards.ts";

/** A guard of the service, how to remove it, and the tests that must turn red then. */
export interface Guard {
  /** What is guarded, for the report. */
  readonly name: string;
  readonly file: string;
  /** Texts that are in the file exactly once, each with what takes its place. */
  readonly changes: readonly (readonly [find: string, replacement: string])[];
  /** The file of tests. */
  readonly in: string;
  /** A pattern for the names of the tests; absent: all of the file. */
  readonly test?: string;
}

/** All guards. A new one belongs in here, too. */
export const guards: readonly Guard[] = [
  ...accessGuards,
  ...tokenGuards,
  ...conditionGuards,
  ...conditionalCallGuards,
  ...batchGuards,
  ...documentGuards,
  ...eventGuards,
  ...factorGuards,
  ...fieldGuards,
  ...inputGuards,
  ...houseGuards,
  ...laneGuards,
  ...lifeGuards,
  ...loadGuards,
  ...messageGuards,
  ...oidcGuards,
  ...postgresGuards,
  ...storageGuards,
  ...tenancyGuards,
];

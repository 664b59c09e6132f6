// Lets property tests draw the same values each time where GATEHOUSE_PROPERTY_SEED is set. Otherwise each run draws others, and
// fast-check says with which seed one has failed.
import { env } from "node:process";

const { GATEHOUSE_PROPERTY_SEED: seed } = env;
if (seed !== undefined) (await import("fast-check")).configureGlobal({ seed: Number(seed) });

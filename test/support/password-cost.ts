import type { HashCost } from "../../src/identity/people/passwords/encoded-hash.ts";

/** What a hash of a password costs in tests: as little as argon2id can. `hasher.test.ts` and all processes have the real cost. */
export const testPasswordCost: HashCost = { memoryKib: 8, passes: 1, lanes: 1, saltBytes: 16, tagBytes: 32 };

import { Problem } from "../../../base/problem.ts";
import type { Random } from "../../../base/random.ts";
import { type Bcrypt, createBcrypt } from "./bcrypt.ts";
import { type HashCost, isWeakHash, ownCost, parseEncodedHash } from "./encoded-hash.ts";
import { normalizePassword } from "./password.ts";

/** Computes hashes of passwords, a few at once. Every function raises OVERLOADED when too many wait. */
export interface PasswordHasher {
  /** Returns argon2id as a PHC string, with a new salt. */
  hash(password: string): Promise<string>;
  /** Compares a password with a stored hash. `isWeak`: the hash is to be replaced by one of ours. */
  verify(encoded: string, password: string): Promise<{ readonly isRight: boolean; readonly isWeak: boolean }>;
  /** Computes as much as `verify` does, for a user who has no password. */
  verifyNothing(password: string): Promise<void>;
  /** Raises OVERLOADED when no more hashes are taken at this moment. */
  requireRoom(): void;
}

/** How many hashes are computed at once, and how many wait. */
export interface HasherOptions {
  readonly parallelism: number;
  readonly maxWaiting: number;
  readonly random: Random;
  /** What a hash costs, for tests about something else. Absent: what is right for people's passwords. */
  readonly cost?: HashCost | undefined;
}

/** Creates the hasher of a process. The libraries are loaded with the first password. */
export function createPasswordHasher(options: HasherOptions): PasswordHasher {
  const { cost = ownCost, random } = options;
  const gate = createGate(options);
  const bcrypt = createBcrypt();
  const hash = async (password: string) => {
    const { hash: compute } = await loadArgon2();
    // Its algorithm is argon2id unless it is told another one.
    return await compute(normalizePassword(password), {
      memoryCost: cost.memoryKib,
      timeCost: cost.passes,
      parallelism: cost.lanes,
      outputLen: cost.tagBytes,
      salt: random.bytes(cost.saltBytes),
    });
  };
  let nothing: Promise<string> | undefined;
  return {
    hash: (password) => gate.run(() => hash(password)),
    verify: (encoded, password) =>
      gate.run(async () => {
        const parsed = parseEncodedHash(encoded);
        if (parsed === undefined) return { isRight: false, isWeak: false };
        if (await matches(bcrypt, encoded, normalizePassword(password)))
          return { isRight: true, isWeak: isWeakHash(parsed, cost) };
        // A hash from elsewhere may be of the password as it was typed.
        const isRight =
          password !== normalizePassword(password) && (await matches(bcrypt, encoded, password));
        return { isRight, isWeak: isRight };
      }),
    verifyNothing: (password) =>
      gate.run(async () => {
        nothing ??= hash(Buffer.from(random.bytes(16)).toString("base64"));
        await matches(bcrypt, await nothing, normalizePassword(password));
        if (password !== normalizePassword(password)) await matches(bcrypt, await nothing, password);
      }),
    requireRoom: gate.requireRoom,
  };
}

const loadArgon2 = () => import("@node-rs/argon2");

/** Does not accept a hash that the library cannot read. */
async function matches(bcrypt: Bcrypt, encoded: string, password: string): Promise<boolean> {
  if (encoded.startsWith("$2")) return await bcrypt.verify(encoded, password);
  const { verify } = await loadArgon2();
  return await verify(encoded, password);
}

/** Lets so many tasks run at once, and so many wait in order. */
function createGate({ parallelism, maxWaiting }: Pick<HasherOptions, "parallelism" | "maxWaiting">) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const requireRoom = () => {
    if (running >= parallelism && waiting.length >= maxWaiting) throw tooManyHashes();
  };
  return {
    requireRoom,
    async run<T>(task: () => Promise<T>): Promise<T> {
      requireRoom();
      // A task that ends hands its place to the next one, so nobody gets in between.
      if (running < parallelism) running += 1;
      else
        await new Promise<void>((enter) => {
          waiting.push(enter);
        });
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

function tooManyHashes(): Problem {
  return new Problem({
    kind: "unavailable",
    reason: "OVERLOADED",
    message: "too many passwords are being checked; nothing was done; try again later",
    retryAfterMs: 1000,
  });
}

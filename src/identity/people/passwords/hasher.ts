import { setTimeout } from "node:timers/promises";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Random } from "../../../kernel/base/random.ts";
import {
  type EncodedHash,
  hashHeaderOf,
  type HashCost,
  isWeakHash,
  ownCost,
  parseEncodedHash,
  type StoredForeignHash,
  toSampleHash,
  toWrappable,
  toWrappedText,
} from "./encoded-hash.ts";
import { toEstimateParts } from "./hash-cost.ts";
import { toRecipeText } from "./hashes/families.ts";
import { createHashThread, type HashThread } from "./hash-thread.ts";
import { createPace } from "./pace.ts";
import { normalizePassword } from "./password.ts";

/** Computes hashes of passwords, a few at once. Every function raises OVERLOADED when too many wait. */
export interface PasswordHasher {
  /** Returns argon2id as a PHC string, with a new salt. */
  hash(password: string): Promise<string>;
  /** Hashes a hash of another system once more, with argon2id, so that what is stored cannot be tried fast. */
  wrap(hash: StoredForeignHash): Promise<string>;
  /**
   * Compares a password with a stored hash. `isWeak`: the hash is to be replaced by one of ours. A wrong password takes as long as
   * it would with one of ours or with one of the headers `dearest`, whichever takes longest: it waits, and takes no place among the
   * hashes that are computed.
   */
  verify(
    encoded: string,
    password: string,
    dearest?: readonly string[],
  ): Promise<{ readonly isRight: boolean; readonly isWeak: boolean }>;
  /** Takes as long as `verify` with a wrong password, for a user who has none. */
  verifyNothing(password: string, dearest?: readonly string[]): Promise<void>;
  /** Estimates how long the machine computes to compare with a hash, in milliseconds, whatever else it does at this moment. */
  estimateMs(encoded: string): Promise<number>;
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
  /** The clock that comparisons are measured by, and waiting; for tests. Absent: those of the process. */
  readonly time?: HasherTime | undefined;
}

/** A clock that only goes forward, in milliseconds, and what waits by it. */
export interface HasherTime {
  nowMs(): number;
  wait(ms: number): Promise<void>;
}

const processTime: HasherTime = { nowMs: () => performance.now(), wait: (ms) => setTimeout(ms) };

/** Creates the hasher of a process. The libraries are loaded with the first password. */
export function createPasswordHasher(options: HasherOptions): PasswordHasher {
  const { cost = ownCost, random } = options;
  const gate = createGate(options);
  const own = `$argon2id$v=19$m=${cost.memoryKib},t=${cost.passes},p=${cost.lanes}$`;
  const thread = createHashThread(options.parallelism);
  const tryForms = createComparison(options, { gate, own, thread });
  const leastCpuMs = createEstimate(gate, thread);
  const hash = async (text: string) => {
    const { hash: compute } = await loadArgon2();
    // Its algorithm is argon2id by default.
    return await compute(text, {
      memoryCost: cost.memoryKib,
      timeCost: cost.passes,
      parallelism: cost.lanes,
      outputLen: cost.tagBytes,
      salt: random.bytes(cost.saltBytes),
    });
  };
  const nothing = toSampleHash(own);
  return {
    hash: (password) => gate.run(() => hash(normalizePassword(password))),
    async wrap({ recipe, digest }) {
      const outer = await gate.run(() => hash(toWrappable(digest)));
      return toWrappedText(outer, toRecipeText(recipe));
    },
    async verify(encoded, password, dearest = []) {
      const parsed = parseEncodedHash(encoded);
      const { isRight, isNormalized } = await tryForms(parsed ? encoded : nothing, password, dearest);
      if (parsed === undefined || !isRight) return { isRight: false, isWeak: false };
      return { isRight, isWeak: !isNormalized || isWeakHash(parsed, cost) };
    },
    async verifyNothing(password, dearest = []) {
      await tryForms(nothing, password, dearest);
    },
    async estimateMs(encoded) {
      const parsed = parseEncodedHash(encoded);
      if (parsed === undefined) return 0;
      let ms = 0;
      for (const { header, times } of toEstimateParts(parsed, own)) ms += (await leastCpuMs(header)) * times;
      return ms;
    },
    requireRoom: gate.requireRoom,
  };
}

/** So many comparisons say how long one takes: the first of a library takes longer. */
const samples = 5;

/** Creates what compares passwords with hashes so that every wrong one takes the same time. `own`: the header of our hashes. */
function createComparison(
  { time = processTime }: HasherOptions,
  { gate, own, thread }: { readonly gate: Gate; readonly own: string; readonly thread: HashThread },
) {
  const pace = createPace(time.nowMs);
  const matches = async (encoded: string, password: string) => {
    const hash = parseEncodedHash(encoded);
    if (hash === undefined) throw new Error("a hash cannot be read");
    return await pace.measure(hashHeaderOf(hash), () => compareOnce(thread, { encoded, hash }, password));
  };
  /** Compares a few times with a hash that is of no password, unless it is known how long that takes. */
  const usualMs = async (header: string) => {
    try {
      for (let count = 0; pace.usualMs(header) === undefined || (count > 0 && count < samples); count += 1)
        await gate.run(() => matches(toSampleHash(header), "x"));
    } catch {
      // There may be no room at this moment.
    }
    return pace.usualMs(header) ?? 0;
  };
  return async (
    encoded: string,
    password: string,
    dearest: readonly string[],
  ): Promise<{ readonly isRight: boolean; readonly isNormalized: boolean }> => {
    const forms = [...new Set([normalizePassword(password), password])];
    const { startMs, right } = await gate.run(async () => {
      const from = time.nowMs();
      // A hash from elsewhere may be of the password as it was typed.
      for (const form of forms) if (await matches(encoded, form)) return { startMs: from, right: form };
      return { startMs: from, right: undefined };
    });
    if (right !== undefined) return { isRight: true, isNormalized: right === forms[0] };
    const each = await Promise.all([own, ...dearest].map(usualMs));
    const leftMs = startMs + Math.max(...each) * forms.length - time.nowMs();
    if (leftMs > 0) await time.wait(leftMs);
    return { isRight: false, isNormalized: false };
  };
}

/** Creates what says how long the machine computes at least for a header, in milliseconds. It is measured once. */
function createEstimate(gate: Gate, thread: HashThread): (header: string) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  const measure = async (header: string) => {
    const each: number[] = [];
    while (each.length < samples)
      each.push((await gate.run(() => thread.verify(toSampleHash(header), "x"))).cpuMs);
    return Math.min(...each);
  };
  return async (header) => {
    const estimate = known.get(header) ?? measure(header);
    known.set(header, estimate);
    try {
      return await estimate;
    } catch (error) {
      known.delete(header); // there may be room the next time
      throw error;
    }
  };
}

const loadArgon2 = () => import("@node-rs/argon2");

/** Does not accept a hash that the library cannot read. */
async function compareOnce(
  thread: HashThread,
  { encoded, hash }: { readonly encoded: string; readonly hash: EncodedHash },
  password: string,
): Promise<boolean> {
  if (hash.kind !== "argon2") return (await thread.verify(encoded, password)).isRight;
  const { verify } = await loadArgon2();
  return await verify(encoded, password);
}

type Gate = ReturnType<typeof createGate>;

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

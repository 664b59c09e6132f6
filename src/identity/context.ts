import { type AfterCommit, type Call, originOf } from "../kernel/base/call.ts";
import type { Clock } from "../kernel/base/clock.ts";
import type { Database, ReadTransaction, WriteOptions, WriteTransaction } from "../kernel/base/database.ts";
import { changedDetails, type Details } from "../kernel/base/details.ts";
import type { OrganizationId, UserId } from "../kernel/base/ids.ts";
import type { Keyring } from "../kernel/base/keyring.ts";
import type { Past } from "./as-of/past.ts";
import type { Random } from "../kernel/base/random.ts";
import type { NewEvent } from "../kernel/events/event.ts";
import type { EventLog } from "../kernel/events/event-log.ts";
import type { PersonalData } from "../kernel/events/personal-data.ts";

/** The ports that the commands of every feature use; built once, in `installation.ts`. */
export interface FeatureContext {
  readonly database: Database;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly keyring: Keyring;
  /** Encrypts with the keys of users. */
  readonly personalData: PersonalData;
  /** Undefined: nothing is kept, as in commands of the command line. */
  readonly waysIn?: WaysIn | undefined;
  /** Undefined: nothing of the past is asked for, as in commands of the command line. */
  readonly past?: Past | undefined;
}

/** Keeps users with a role on the instance from being locked out. */
export interface WaysIn {
  /**
   * Call it before the command changes anything that decides how people sign in. The `append` of the command then raises LOCKS_OUT
   * if somebody who holds a role on the instance could sign in less well than before, unless the call is forced. Raises
   * PERMISSION_DENIED for a caller who may not force anything. For a user without such a role it takes one look-up.
   */
  keep(command: CommandTransaction, asked: WaysInAsked): Promise<void>;
}

/** Whose ways to sign in a command may change. */
export type WaysInAsked =
  | {
      readonly of: "user";
      readonly userId: string;
      /** Whether the user may hold the first role on the instance only afterwards. Default: false. */
      readonly isGain?: boolean;
    }
  | { readonly of: "organization"; readonly organizationId: string }
  | { readonly of: "instance" };

/** What commands work with that decide how a user logs in. */
export interface UserContext extends FeatureContext {
  /** Says whether the user can log in with more on the login pages than one factor, and than `login` has besides. */
  readonly hasTwoFactors: (
    tx: ReadTransaction,
    user: {
      readonly userId: UserId;
      readonly organizationId: OrganizationId;
      readonly login?: { readonly methods: readonly string[] } | undefined;
    },
  ) => Promise<boolean>;
}

/** The means of a command inside its write. */
export interface CommandTransaction {
  /** The call, with the roles that the caller holds at this moment. */
  readonly call: Call;
  readonly tx: WriteTransaction;
  /** Records the events of the command, at most once, and returns its instant (microseconds since 1970). */
  readonly append: (events: readonly NewEvent[]) => Promise<number>;
  /** Adds a step to take once the command is durable. The answer waits for it. */
  readonly afterCommit: (step: AfterCommit) => void;
  /** Adds a check of what `append` has led to, in the same transaction: if it raises, nothing of the command stays. */
  readonly afterAppend: (check: () => Promise<void>) => void;
}

/**
 * Runs a command atomically within the deadline of its call, after the caller and their permission were checked again. If the
 * command throws, its changes are undone. If it returns a Problem, they are committed and the Problem is thrown afterwards. Then
 * the call may only make its answer from the result (see `WriteUnit`).
 */
export function write<T>(
  context: FeatureContext,
  call: Call,
  fn: (command: CommandTransaction) => Promise<T>,
): Promise<Exclude<T, Error>> {
  const work: Work<T> = async (tx, afterCommit) => {
    const held = (await call.confirm?.(tx)) ?? call.caller.held;
    const checks: (() => Promise<void>)[] = [];
    return await fn({
      tx,
      call: { ...call, caller: { ...call.caller, held } },
      async append(events) {
        const date = await context.log.append(tx, originOf(call), events);
        for (const check of checks) await check();
        return date;
      },
      afterCommit,
      afterAppend: (check) => void checks.push(check),
    });
  };
  return writeInUnit(context.database, call, work, { mayStartEarly: true });
}

type Work<T> = (tx: WriteTransaction, afterCommit: CommandTransaction["afterCommit"]) => Promise<T>;

/**
 * Runs work in the unit of the call, or in a transaction of its own, and then takes the steps that follow it. Only in the
 * latter may it start early.
 */
export async function writeInUnit<T>(
  database: Pick<Database, "write">,
  call: Call,
  fn: Work<T>,
  { mayStartEarly, mayTakeLong }: Pick<WriteOptions, "mayStartEarly" | "mayTakeLong"> = {},
): Promise<Exclude<T, Error>> {
  const after: AfterCommit[] = [];
  const work = (tx: WriteTransaction) => {
    after.length = 0; // of an earlier call of this function, which does not count
    return fn(tx, (step) => after.push(step));
  };
  const { deadlineMs, signal, onAccepted } = call;
  const options = { deadlineMs, signal, onAccepted, mayTakeLong };
  if (call.unit !== undefined) return await call.unit.write(database, work, { options, after });
  const result = await database.write(work, { ...options, mayStartEarly });
  for (const step of after) await step();
  return result;
}

/** Reads for a call that changes something, including what its unit has written so far. */
export function read<T>(
  context: FeatureContext,
  call: Call,
  fn: (tx: ReadTransaction) => Promise<T>,
): Promise<T> {
  return (call.unit?.read ?? context.database.read)(fn);
}

/**
 * Compares the object that the call changes with the state that the caller expects (`if-match`), and returns the object.
 * Every command that changes one object calls it first. Raises SEQUENCE_MISMATCH.
 */
export function requireTarget<T extends { readonly details: Details }>(call: Call, object: T): T {
  call.requireMatch?.(object.details);
  return object;
}

/** Decides the change of an object; no events mean no change. */
export type Decide<T> = (
  object: T,
  command: CommandTransaction,
) => readonly NewEvent[] | Promise<readonly NewEvent[]>;

/**
 * Changes one object: loads it, compares it with the version that the call expects, decides, and records the events.
 * Returns the details afterwards. Raises what `write` and `requireTarget` raise.
 */
export function change<T extends { readonly details: Details }>(
  context: FeatureContext,
  call: Call,
  {
    load,
    decide,
  }: {
    readonly load: (command: CommandTransaction) => Promise<T>;
    readonly decide: Decide<T>;
  },
): Promise<Details> {
  return write(context, call, async (command) => {
    const object = requireTarget(command.call, await load(command));
    const events = await decide(object, command);
    return events.length === 0
      ? object.details
      : changedDetails(object.details, await command.append(events));
  });
}

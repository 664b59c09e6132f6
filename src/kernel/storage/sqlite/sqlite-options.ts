import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Seat } from "../seat.ts";

/** What a database on SQLite is opened with. */
export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Where ids come from. */
  readonly random: Random;
  /**
   * Called when the disk did not confirm a commit: acknowledged writes are safe, but no further write may be
   * acknowledged. Must end the process.
   */
  readonly onFatal: (error: Error) => void;
  /** Maximum number of waiting writes of calls. Absent: no limit. */
  readonly maxWaitingWrites?: number | undefined;
  /** What distinguishes this process from others that have the file open. Absent: there are none. */
  readonly seat?: Seat | undefined;
}

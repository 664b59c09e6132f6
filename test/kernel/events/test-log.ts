import { projections as allProjections } from "../../../src/app/installation.ts";
import type { Origin } from "../../../src/kernel/base/call.ts";
import type { Database, ReadTransaction, SqlValue } from "../../../src/kernel/base/database.ts";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import type { NewEvent, Projection } from "../../../src/kernel/events/event.ts";
import { createEventLog } from "../../../src/kernel/events/event-log.ts";
import { createPersonalData, type PersonalData } from "../../../src/kernel/events/personal-data.ts";
import { createTestClock, type TestClock } from "../../support/clock.ts";
import { engine, type PlanStep, type TestPlace } from "../../support/engine/engine.ts";
import { type TestContext, withIds } from "../../support/ids.ts";

/** A row of the table `events`. */
export interface EventRow {
  readonly sequence: number;
  readonly date: number;
  readonly aggregate_type: string;
  readonly aggregate_id: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly resource_owner: string;
  readonly editor: string;
  readonly request_id: string;
  readonly remote_address: Uint8Array | null;
  readonly remote_address_of: number | null;
  readonly payload: string;
  readonly personal: Uint8Array | null;
  readonly checksum: number | null;
}

/** An event log on a real database of its own. */
export interface TestLog {
  readonly context: TestContext;
  readonly database: Database;
  readonly clock: TestClock;
  readonly personalData: PersonalData;
  readonly place: TestPlace;
  append(events: readonly NewEvent[], origin?: Origin): Promise<number>;
  rebuild(): Promise<number>;
  /** Runs a statement past all code of ours. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  events(): Promise<readonly EventRow[]>;
  /** Returns every row of every table that the projections make, by the name of the table. */
  dump(): Promise<Readonly<Record<string, readonly object[]>>>;
  /** Reads, and returns how the database goes through its tables for each query. */
  plansOf(read: (tx: ReadTransaction) => Promise<unknown>): Promise<readonly (readonly PlanStep[])[]>;
  close(): Promise<void>;
}

export const systemOrigin: Origin = { editor: "system", remoteAddress: undefined, requestId: "request-1" };

/** The event of a new organization. */
export const organizationAdded = (id: string, name = `Organization ${id}`): NewEvent => ({
  type: "organization.added",
  aggregateId: id,
  resourceOwner: id,
  payload: { name },
});

/** What a call of somebody is recorded with. */
export const originOf = (editor: string, remoteAddress?: string): Origin => ({
  editor: editor as UserId,
  remoteAddress,
  requestId: "request-9",
});

/** Opens an empty log. */
export async function openTestLog(projections: readonly Projection[] = allProjections): Promise<TestLog> {
  const place = await engine.makePlace();
  const clock = createTestClock();
  const random = systemRandom;
  const keyring = createKeyring(parseMasterKeys(newMasterKeyText(random)), random);
  const database = await place.open({ clock, random });
  const personalData = createPersonalData(keyring, random, database);
  const log = createEventLog({ projections, personalData, isFailure: database.isFailure });
  return {
    context: withIds({ database, log, clock, random, keyring, personalData }),
    database,
    clock,
    personalData,
    place,
    append: (events, origin = systemOrigin) =>
      database.write(async (tx) => {
        const date = await log.append(tx, origin, events);
        while (await log.sweep(tx, 1000)); // what the service does later for a large organization
        return date;
      }),
    rebuild: () => database.write((tx) => log.rebuild(tx)),
    run: (sql, parameters) => database.write((tx) => tx.change(sql, parameters)),
    events: () => database.read((tx) => tx.all<EventRow>("SELECT * FROM events ORDER BY sequence")),
    dump: () => dump(database, projections),
    plansOf: (read) => plansOf(database, place, read),
    async close() {
      await database.close();
      await place.remove();
    },
  };
}

async function plansOf(
  database: Database,
  { raw }: TestPlace,
  read: (tx: ReadTransaction) => Promise<unknown>,
): Promise<readonly (readonly PlanStep[])[]> {
  const statements: string[] = [];
  await database.read((tx) =>
    read({
      now: tx.now,
      get: (sql, parameters) => (statements.push(sql), tx.get(sql, parameters)),
      all: (sql, parameters) => (statements.push(sql), tx.all(sql, parameters)),
    }),
  );
  return await Promise.all(statements.map((sql) => raw.explain(sql)));
}

function dump(database: Database, projections: readonly Projection[]) {
  const tables = projections.flatMap((projection) => projection.tables);
  return database.read(async (tx) => {
    const dumped: Record<string, readonly object[]> = {};
    for (const table of tables)
      dumped[table.replace("stored_", "")] = await tx.all<object>(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return dumped;
  });
}

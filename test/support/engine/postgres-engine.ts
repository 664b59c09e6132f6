import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { systemClock } from "../../../src/kernel/base/clock.ts";
import { newMasterKeyText } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { createConnector } from "../../../src/kernel/storage/postgres/connect/connector.ts";
import { parseAddress } from "../../../src/kernel/storage/postgres/connect/address.ts";
import { openPostgresDatabase } from "../../../src/kernel/storage/postgres/postgres-database.ts";
import { postgresTypes } from "../../../src/kernel/storage/postgres/types.ts";
import { makeTemporaryFolder } from "../temporary.ts";
import type { Engine, OpenOptions, TestPlace } from "./engine.ts";
import { createDatabasePool, urlOf } from "./postgres-pool.ts";
import { copyRows, type OpenRaw, openRaw } from "./postgres-raw.ts";

/** PostgreSQL: a place is a database of its own on a server, and a folder for the key. */
export function createPostgresEngine(server: string): Engine {
  const pool = createDatabasePool(server, async (url) => {
    await (await openAt(url, { clock: systemClock })).close();
  });
  const makePlace = async () => placeOn(await pool.take());
  const placeOn = (name: string): TestPlace => {
    const folder = makeTemporaryFolder();
    writeFileSync(join(folder.path, "master.key"), newMasterKeyText(systemRandom), { mode: 0o600 });
    return createPlace({
      url: urlOf(server, name),
      folder: folder.path,
      makePlace,
      async end() {
        await pool.giveBack(name);
        folder.remove();
      },
    });
  };
  return {
    name: "postgres",
    makePlace,
    words: {
      notUnique: () => /^duplicate key value violates unique constraint/,
      brokenForeignKey: /violates foreign key constraint/,
      noSuchTable: /relation \\?"\w+\\?" does not exist/,
    },
    deferForeignKeys: "SET CONSTRAINTS ALL DEFERRED",
    onStatement,
  };
}

function createPlace({
  url,
  folder,
  makePlace,
  end,
}: {
  readonly url: string;
  readonly folder: string;
  readonly makePlace: () => Promise<TestPlace>;
  readonly end: () => Promise<void>;
}): TestPlace {
  const key = join(folder, "master.key");
  let opened: OpenRaw | undefined;
  const place: TestPlace = {
    folder,
    flags: { data: folder, database: url, "master-key-file": key },
    prepare() {}, // the database is a copy of one that has been migrated
    open: (options) => openAt(url, options),
    get raw() {
      return (opened ??= openRaw(url)).raw;
    },
    async bytes() {
      const rows = Object.values(await place.raw.dump()).flat();
      const cells = rows.flatMap((row) => Object.values(row));
      return Buffer.concat(
        cells.map((cell) => (Buffer.isBuffer(cell) ? cell : Buffer.from(`${String(cell)}\n`))),
      );
    },
    async disconnect() {
      const { close } = opened ?? {};
      opened = undefined;
      await close?.();
    },
    async copy() {
      const copy = await makePlace();
      await copyRows(url, copy.flags["database"] ?? "");
      copyFileSync(key, join(copy.folder, "master.key"));
      return copy;
    },
    async remove() {
      await place.disconnect();
      await end();
    },
  };
  return place;
}

async function openAt(url: string, options: OpenOptions) {
  const { clock, random = systemRandom, maxWaitingWrites } = options;
  const address = parseAddress(url, { environment: {}, isDev: true });
  const connector = createConnector({
    address,
    isDev: true,
    isSynchronousRequired: false,
    clock: systemClock,
    random,
    types: postgresTypes,
    onClockSkew: () => {},
  });
  return await openPostgresDatabase({
    connector,
    clock,
    random,
    isSynchronousRequired: false,
    maxWaitingWrites,
  });
}

function onStatement(listener: (sql: string) => void): () => void {
  const prototype = Client.prototype as unknown as Record<"query", (...given: unknown[]) => unknown>; // as documented
  const { query } = prototype;
  prototype.query = function tell(this: unknown, ...given) {
    const [config] = given;
    const text = typeof config === "string" ? config : (config as { text?: string } | undefined)?.text;
    if (text !== undefined && /^\s*(SELECT|WITH)\b/.test(text)) listener(text.replaceAll(/\$\d+/g, "?"));
    return query.apply(this, given);
  };
  return () => void Object.assign(prototype, { query });
}

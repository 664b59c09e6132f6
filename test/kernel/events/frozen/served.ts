import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import pino from "pino";
import { startApp } from "../../../../src/app/app.ts";
import { parseConfig } from "../../../../src/config/config.ts";
import type { EventDefinitions } from "../../../../src/kernel/events/catalogue.ts";
import { openInstallation } from "../../../../src/app/installation.ts";
import { createTestClock } from "../../../support/clock.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import { connectTo, type JsonApi } from "./json-api.ts";
import type { FrozenLogins } from "./play-logins.ts";
import { type Answered, withoutGoneFields } from "./read-back.ts";
import { fillFromSqlText } from "./sql-text.ts";

const fixtures = join(import.meta.dirname, "fixtures");

/** The frozen databases by the names of their folders, oldest first. */
export const frozenNames = readdirSync(fixtures).toSorted();

/** A data folder with the database of an older release, before any newer one has opened it. */
export interface FrozenFolder {
  /** The file of the database. */
  readonly database: string;
  /** What the release answered, without fields that are gone. */
  readonly answers: readonly Answered[];
  /** Reads what applications have got of logins. Throws for a release before there were logins. */
  logins(): FrozenLogins;
  /** Serves from the folder at the time of its last event while `use` calls. */
  serve<T>(use: (api: JsonApi, url: string) => Promise<T>, definitions?: EventDefinitions): Promise<T>;
  /** Opens the folder as every command does, which migrates it. Rebuilds it if asked. Returns the number of events applied. */
  open(options: { readonly rebuilds: boolean; readonly definitions?: EventDefinitions }): Promise<number>;
  remove(): void;
}

/** Lays a frozen database into a new data folder. */
export function layFrozen(name: string): FrozenFolder {
  const temporary = makeTemporaryFolder();
  const data = join(temporary.path, "data");
  mkdirSync(data, { mode: 0o700 });
  for (const file of ["master.key", "admin.token"]) {
    copyFileSync(join(fixtures, name, file), join(data, file));
    chmodSync(join(data, file), 0o600);
  }
  const file = join(data, "gatehouse.db");
  const database = new Sqlite(file);
  fillFromSqlText(database, readFileSync(join(fixtures, name, "database.sql"), "utf8"));
  const lastSequence = Number(database.prepare("SELECT MAX(sequence) FROM events").pluck().get());
  database.close();
  const clock = createTestClock(Math.ceil(lastSequence / 1000) + 1000);
  return {
    database: file,
    answers: withoutGoneFields(
      JSON.parse(readFileSync(join(fixtures, name, "answers.json"), "utf8")) as readonly Answered[],
    ),
    logins: () => JSON.parse(readFileSync(join(fixtures, name, "logins.json"), "utf8")) as FrozenLogins, // written by make.ts
    async serve(use, definitions) {
      const app = await startApp(parseConfig({ listen: "127.0.0.1:0", data, dev: true }, {}), {
        logger: pino({ level: "silent" }),
        version: "0.0.0-test",
        clock,
        definitions,
        onFatal: (error) => {
          throw error;
        },
      });
      try {
        const token = readFileSync(join(data, "admin.token"), "utf8").trim();
        return await use(connectTo(app.url, token), app.url);
      } finally {
        await app.stop();
      }
    },
    async open({ rebuilds, definitions }) {
      const installation = await openInstallation(
        { dataFolder: data },
        { isNewAllowed: false, clock, definitions },
      );
      const { database: opened, log } = installation.context;
      try {
        while (await opened.write((tx) => log.sweep(tx, 1000))); // what removed organizations have left
        return rebuilds ? await opened.write((tx) => log.rebuild(tx)) : 0;
      } finally {
        await installation.close();
      }
    },
    remove: temporary.remove,
  };
}

import { afterAll } from "@jest/globals";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../support/clients.ts";
import { canaries } from "../../support/canaries.ts";
import {
  createScanner,
  type Leak,
  noteDataFolder,
  refuseLeaks,
  scanFiles,
  scanLog,
  scanReceived,
  scanFolder,
} from "../../support/canary-scan.ts";
import {
  type GatehouseProcess,
  type Launch,
  runGatehouse,
  type ServingProcess,
  untilReady,
} from "../../support/process.ts";
import { answerOf, type CallableService } from "../../support/service.ts";
import type { RawConnection } from "../../support/engine/engine.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { makeInstance } from "./make-instance.ts";
import { lookInto } from "./place-database.ts";
import { makePlaceOptions } from "./place-options.ts";

type Environment = Readonly<Record<string, string>>;

/** How a command ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A data folder that nothing has made yet, and the processes on it. */
export interface Place {
  /** The data folder. */
  readonly path: string;
  /** Returns the path of a file in the data folder. */
  file(name: string): string;
  /** Runs a command on the folder to its end. */
  run(args: readonly string[], environment?: Environment, launch?: Launch): Promise<Finished>;
  /** Starts a command on the folder. */
  start(args: readonly string[], environment?: Environment, launch?: Launch): GatehouseProcess;
  /** Starts serving from the folder, on a free port unless `args` say otherwise. */
  serve(args?: readonly string[], environment?: Environment, launch?: Launch): Promise<ServingProcess>;
  /** Returns what is in admin.token. */
  adminToken(): string;
  /** Returns clients of a running service, with the token of admin.token unless another one is given. */
  connect(serving: ServingProcess, token?: string): ConnectedService;
  /** Works on the database, on any engine, past all code of ours. */
  look<T>(look: (raw: RawConnection) => Promise<T>): Promise<T>;
}

export interface ConnectedService extends CallableService {
  readonly url: string;
}

/**
 * Returns a function that makes places. All their processes and files are gone after the tests of
 * this file, which fail when a secret lies where it must not.
 */
export function usePlaces(): () => Place {
  const cleanups: (() => void)[] = [];
  const running: GatehouseProcess[] = [];
  const folders: string[] = [];
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ exited }) => exited));
    for (const folder of folders) noteDataFolder(canaries, folder);
    const scanner = createScanner(canaries.list());
    const leaks: Leak[] = [...scanReceived(scanner, canaries)];
    for (const ended of running) leaks.push(...scanLog(scanner, ended.written()));
    for (const folder of folders) {
      leaks.push(...scanFiles(scanner, folder));
      leaks.push(...(await scanFolder(scanner, folder)));
    }
    for (const cleanup of cleanups.toReversed()) cleanup();
    refuseLeaks(leaks);
  });
  return () => {
    const temporary = makeTemporaryFolder();
    cleanups.push(temporary.remove);
    const folder = join(temporary.path, "data");
    folders.push(folder);
    return createPlace(folder, {
      onStart: (started) => running.push(started),
      onEnd: (cleanup) => cleanups.push(cleanup),
    });
  };
}

interface Watch {
  onStart(running: GatehouseProcess): void;
  onEnd(cleanup: () => void): void;
}

function createPlace(path: string, { onStart, onEnd }: Watch): Place {
  let options: readonly string[] | undefined;
  const inPlace = () => (options ??= makePlaceOptions(path));
  const watch = <P extends GatehouseProcess>(running: P): P => {
    onStart(running);
    return running;
  };
  const place: Place = {
    path,
    file: (name) => join(path, name),
    async run(args, environment, launch) {
      return await finish(place.start(args, environment, launch));
    },
    start: (args, environment, launch) => watch(runGatehouse([...args, ...inPlace()], environment, launch)),
    async serve(args = [], environment = {}, launch = {}) {
      const words = ["serve", "--listen", "127.0.0.1:0", ...inPlace(), ...args];
      return await untilReady(watch(runGatehouse(words, environment, launch)));
    },
    adminToken: () => readFileSync(join(path, "admin.token"), "utf8").trimEnd(),
    connect(serving, token = place.adminToken()) {
      const clients = Object.fromEntries(
        lanes.map((lane) => [lane, createLaneClient(lane, serving.url)]),
      ) as Record<Lane, LaneClient>; // every lane is in it
      onEnd(() => Object.values(clients).forEach((client) => client.close()));
      return {
        url: serving.url,
        adminToken: token,
        clients,
        call: async (method, request, as = token) =>
          answerOf(await clients.json.call(method, request, { token: as })),
      };
    },
    look: (look) => lookInto(path, inPlace(), look),
  };
  return place;
}

/** Returns a function that makes places with the folder that a service has left which was started once and stopped. */
export function useServedPlaces(newPlace: () => Place): () => Promise<Place> {
  let template: Promise<string> | undefined;
  const makeTemplate = async () => {
    const { path } = newPlace();
    await makeInstance(path);
    return path;
  };
  return async () => {
    template ??= makeTemplate();
    const place = newPlace();
    cpSync(await template, place.path, { recursive: true });
    return place;
  };
}

/** Waits for the end of a command. */
export async function finish(running: GatehouseProcess): Promise<Finished> {
  const code = await running.exited;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** Runs a command that needs no folder, to its end. */
export async function run(args: readonly string[], environment?: Environment): Promise<Finished> {
  return await finish(runGatehouse(args, environment));
}

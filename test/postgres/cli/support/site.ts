import { afterAll } from "@jest/globals";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { environmentNameOf } from "../../../../src/config/option.ts";
import { createLaneClient } from "../../../support/clients.ts";
import {
  type GatehouseProcess,
  runGatehouse,
  serveGatehouse,
  type ServingProcess,
} from "../../../support/process.ts";
import { answerOf } from "../../../support/service.ts";
import { idOf } from "../../../support/world.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import { finish, type Finished } from "../../../process/support/place.ts";
import { shareServer, type TestDatabases } from "../../connect/support/cluster.ts";

type Environment = Readonly<Record<string, string>>;

/** A database of a server, the key file, and commands on them. */
export interface Site {
  readonly url: string;
  readonly keyFile: string;
  readonly tokenFile: string;
  /** Returns the path of a file of the test. */
  file(name: string): string;
  /** Runs a command on the database to its end. */
  run(args: readonly string[], environment?: Environment): Promise<Finished>;
  /** Starts a command on the database. */
  start(args: readonly string[]): GatehouseProcess;
  /** Starts a process that serves the database. */
  serve(): Promise<ServingProcess>;
  /** Makes the installation. */
  init(): Promise<Finished>;
  /** Runs statements past all code of ours and returns the rows of the last. */
  ask(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Adds a project by a process that serves, and returns its id. */
  addProject(serving: ServingProcess, name: string): Promise<string>;
}

/** Makes sites on the server of the tier, or on another one. All of them end after the tests of this file. */
export function useDatabaseSites(databases: () => TestDatabases = shareServer): {
  /** Makes an empty database. */
  readonly make: () => Promise<Site>;
} {
  const folder = makeTemporaryFolder();
  const running: GatehouseProcess[] = [];
  let used: TestDatabases | undefined;
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ exited }) => exited));
    await used?.close();
    folder.remove();
  });
  const watch = <P extends GatehouseProcess>(started: P): P => {
    running.push(started);
    return started;
  };
  return {
    async make() {
      used ??= databases();
      const url = await used.makeDatabase();
      return createSite({ url, path: mkdtempSync(join(folder.path, "site-")), watch, databases: used });
    },
  };
}

function createSite(setup: {
  readonly url: string;
  readonly path: string;
  readonly watch: <P extends GatehouseProcess>(started: P) => P;
  readonly databases: TestDatabases;
}): Site {
  const { url, path, watch, databases } = setup;
  const keyFile = join(path, "master.key");
  const tokenFile = join(path, "admin.token");
  const place = ["--database", url, "--master-key-file", keyFile, "--data", join(path, "data")];
  const start = (args: readonly string[], environment: Environment = {}) =>
    watch(
      runGatehouse([...args, ...withoutGiven(place, args, environment)], {
        GATEHOUSE_LISTEN: "127.0.0.1:0",
        ...environment,
      }),
    );
  const run: Site["run"] = async (args, environment) => await finish(start(args, environment));
  return {
    url,
    keyFile,
    tokenFile,
    file: (name) => join(path, name),
    run,
    start,
    serve: async () => watch(await serveGatehouse(place)),
    init: () => run(["init", "--admin-token-file", tokenFile]),
    ask: (sql) => databases.ask(sql, url),
    async addProject(serving, name) {
      const client = createLaneClient("json", serving.url);
      try {
        const token = readFileSync(tokenFile, "utf8").trim();
        const added = answerOf(await client.call(ProjectService.method.addProject, { name }, { token }));
        return idOf(added, "id");
      } finally {
        client.close();
      }
    },
  };
}

/** Leaves out the options that the test gives itself, as a flag or as a variable. */
function withoutGiven(
  place: readonly string[],
  args: readonly string[],
  environment: Environment,
): readonly string[] {
  const isGiven = (flag: string) =>
    args.includes(flag) || environment[environmentNameOf(flag.slice("--".length))] !== undefined;
  return place.filter((_word, at) => !isGiven(place[at - (at % 2)] ?? ""));
}

import { afterAll } from "@jest/globals";
import { cpSync } from "node:fs";
import { type Place, usePlaces, useServedPlaces } from "../../process/support/place.ts";
import type { Launch, ServingProcess } from "../../support/process.ts";
import { type Caller, createCaller } from "./calls.ts";
import { createCrippledBuilds, type Crippling } from "./crippled.ts";
import type { Ground } from "./steps.ts";

let counter = 0;

/** A data folder with the ground for writers. */
export interface Site {
  readonly place: Place;
  readonly ground: Ground;
  /** The token of the administrator. */
  readonly token: string;
  /** Returns a client of a service on the folder, closed after the tests of the file. */
  connect(serving: { readonly url: string }, version?: "1.1" | "2"): Caller;
}

/** What a file of these tests works with. All of it is gone after its tests. */
export interface Sites {
  /** Makes a site: its folder was served once, stopped, and nobody has it open. */
  create(): Promise<Site>;
  /** Returns how to start a build of the project with that taken out. One at a time: the next call ends the life of the last. */
  cripple(crippling: Crippling): Launch;
}

/** Returns what makes sites and crippled builds. */
export function useSites(): Sites {
  const newPlace = usePlaces();
  const servedPlace = useServedPlaces(newPlace);
  const builds = createCrippledBuilds();
  const callers: Caller[] = [];
  afterAll(() => {
    for (const caller of callers) caller.close();
    builds.discard();
  });
  const connectAs =
    (token: string) =>
    (serving: { readonly url: string }, version: "1.1" | "2" = "1.1") => {
      const caller = createCaller(serving.url, token, version);
      callers.push(caller);
      return caller;
    };
  let template: Promise<Template> | undefined;
  const makeTemplate = async (): Promise<Template> => {
    const place = await servedPlace();
    const serving = await place.serve();
    const projectId = await prepare(connectAs(place.adminToken())(serving));
    await endInOrder(serving);
    return { path: place.path, token: place.adminToken(), projectId };
  };
  return {
    cripple: (crippling) => builds.build(crippling),
    async create() {
      template ??= makeTemplate();
      const { path, token, projectId } = await template;
      const place = newPlace();
      cpSync(path, place.path, { recursive: true });
      const tag = `t${process.pid}x${(counter += 1)}`;
      return { place, ground: { projectId, tag }, token, connect: connectAs(token) };
    },
  };
}

/** A folder with the ground in it, which all sites are copies of: a start takes most of a second. */
interface Template {
  readonly path: string;
  readonly token: string;
  readonly projectId: string;
}

async function prepare(caller: Caller): Promise<string> {
  const { id: projectId } = await mustCall(caller, "ProjectService/AddProject", { name: "ground" });
  for (const roleKey of ["a", "b", "c"])
    await mustCall(caller, "ProjectService/AddProjectRole", { projectId, roleKey });
  return projectId as string;
}

/** Returns the answer of a call that must succeed. */
export async function mustCall(caller: Caller, method: string, body: object) {
  const ending = await caller.call(method, body);
  if (ending.kind !== "answer") throw new Error(`${method} ended with ${JSON.stringify(ending)}`);
  return ending.json;
}

/** Ends a service by SIGKILL. Leaks are looked for once, after all tests of the file. */
export async function kill(serving: ServingProcess): Promise<void> {
  serving.child.kill("SIGKILL");
  await serving.exited;
}

/** Ends a service by SIGTERM and returns its exit code. */
export async function endInOrder(serving: ServingProcess): Promise<number | null> {
  serving.child.kill("SIGTERM");
  return await serving.exited;
}

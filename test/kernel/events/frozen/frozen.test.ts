import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { dump, projectionsOf } from "../../../process/support/tables.ts";
import type { JsonApi } from "./json-api.ts";
import { readAll } from "./read-back.ts";
import { type FrozenFolder, frozenNames, layFrozen } from "./served.ts";

test("there are databases of older releases, the first of schema version 1", () => {
  expect(frozenNames).toContain("schema-01-a194a6b");
  expect(frozenNames.length).toBeGreaterThan(1);
});

describe.each(frozenNames)("a database of %s", (name) => {
  let folder: FrozenFolder;
  beforeEach(() => {
    folder = layFrozen(name);
  });
  afterEach(() => folder.remove());

  const readBack = (api: JsonApi) =>
    readAll(
      api,
      folder.answers.map(({ call }) => call),
    );
  const tables = () => projectionsOf(dump(folder.database));

  test("is served: everything reads as the release answered, and newer fields are there too", async () => {
    const answers = await folder.serve(readBack);
    expect(answers.length).toBeGreaterThan(10);
    expect(answers).toMatchObject(folder.answers);
  });

  test("is made again from its log as the migrations left it, before and after it was served", async () => {
    await folder.open({ rebuilds: false });
    const migrated = tables();
    expect(await folder.open({ rebuilds: true })).toBe(eventsOf(folder).length);
    expect(tables()).toEqual(migrated);
    const answers = await folder.serve(readBack);
    expect(answers).toMatchObject(folder.answers);
    const served = tables();
    await folder.open({ rebuilds: true });
    expect(tables()).toEqual(served);
  });

  test("shows each event as it was recorded", async () => {
    const recorded = eventsOf(folder).map(({ type, version }) => ({
      eventType: type,
      version: Number(version),
    }));
    const shown = await folder.serve((api) =>
      api.find({ rpc: "EventService/ListEvents", request: { pageSize: 1000 } }),
    );
    expect(shown?.["events"]).toHaveLength(recorded.length);
    expect(shown?.["events"]).toMatchObject(recorded);
  });

  test("takes new objects, which a rebuild makes too", async () => {
    await folder.serve((api) =>
      api.find({ rpc: "OrganizationService/AddOrganization", request: { name: "Newer" } }),
    );
    const served = tables();
    expect(JSON.stringify(served)).toContain('"Newer"');
    await folder.open({ rebuilds: true });
    expect(tables()).toEqual(served);
  });
});

function eventsOf({ database }: FrozenFolder) {
  const { events = [] } = dump(database, ["events"]);
  return events.toSorted((left, right) => Number(left["sequence"]) - Number(right["sequence"]));
}

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { type EventDefinitions, eventDefinitions } from "../../../../src/kernel/events/catalogue.ts";
import { dump, projectionsOf } from "../../../process/support/tables.ts";
import type { JsonApi } from "./json-api.ts";
import { readAll } from "./read-back.ts";
import { type FrozenFolder, layFrozen } from "./served.ts";
import { projectPayload } from "../../../support/samples.ts";

// What a release will find that changes a payload: this test says that today's payloads of two types are of version 2, and
// that a log holds version 1 of them. One was open, and named its fields otherwise; the other one is personal.

interface ProjectV1 {
  readonly title: string;
  readonly checks: readonly string[];
}

let upgradedUsers: object[];
let definitions: EventDefinitions;
let folder: FrozenFolder;

beforeEach(() => {
  upgradedUsers = [];
  definitions = {
    ...eventDefinitions,
    "project.added": {
      version: 2,
      upgrades: [
        ({ title, checks }: ProjectV1) =>
          projectPayload({
            name: title,
            projectRoleCheck: checks.includes("role"),
            hasProjectCheck: checks.includes("project"),
          }),
      ],
    },
    "user.added": {
      ...eventDefinitions["user.added"],
      version: 2,
      upgrades: [
        (payload: object) => {
          upgradedUsers.push(payload);
          return payload;
        },
      ],
    },
  };
  folder = layFrozen("schema-12-22a77bc");
  const database = new Sqlite(folder.database);
  database.exec(`UPDATE events SET checksum = NULL,
    payload = json_object('title', payload ->> 'name', 'checks', json_array())
    WHERE type = 'project.added'`);
  database.close();
});
afterEach(() => folder.remove());

const readBack = (api: JsonApi) =>
  readAll(
    api,
    folder.answers.map(({ call }) => call),
  );
const tables = () => projectionsOf(dump(folder.database));

describe("a log with payloads of an older version", () => {
  test("cannot be rebuilt without an upgrade", async () => {
    await expect(folder.open({ rebuilds: true })).rejects.toThrow(/project\.added .* cannot be applied/);
  });

  test("is served as it was, rebuilt to the same tables and served again", async () => {
    expect(await folder.serve(readBack, definitions)).toMatchObject(folder.answers);
    const served = tables();
    expect(await folder.open({ rebuilds: true, definitions })).toBeGreaterThan(0);
    expect(tables()).toEqual(served);
    expect(await folder.serve(readBack, definitions)).toMatchObject(folder.answers);
  });

  test("goes on with the newer version, which a rebuild does not upgrade", async () => {
    const added = await folder.serve(
      (api) =>
        api.find({ rpc: "ProjectService/AddProject", request: { name: "Newer", projectRoleCheck: true } }),
      definitions,
    );
    const served = tables();
    await folder.open({ rebuilds: true, definitions });
    expect(tables()).toEqual(served);
    const { events = [] } = dump(folder.database, ["events"]);
    const versions = events
      .filter(({ type }) => type === "project.added")
      .map((event) => [event["aggregate_id"] === added?.["id"], Number(event["version"])]);
    expect(new Set(versions.map(String))).toEqual(new Set(["false,1", "true,2"]));
  });

  test("shows the older payload to readers", async () => {
    const shown = await folder.serve(
      (api) =>
        api.find({ rpc: "EventService/ListEvents", request: { pageSize: 1000, eventType: "project.added" } }),
      definitions,
    );
    expect(shown).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ version: 1, payload: { title: "Portal", checks: [] } }),
      ]),
    });
  });

  test("hands personal fields to the upgrade, and none of a user who was removed", async () => {
    await folder.open({ rebuilds: true, definitions });
    expect(upgradedUsers).toContainEqual(expect.objectContaining({ kind: "human", username: "ada" }));
    expect(upgradedUsers).toContainEqual({ kind: "human" });
    expect(JSON.stringify(upgradedUsers)).not.toContain("gone");
  });
});

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { findValidUntil, parseSamlMetadata } from "../../../../src/identity/applications/saml/metadata.ts";
import { isMetadataExpired } from "../../../../src/identity/applications/saml/saml-config.ts";
import { applicationList } from "../../../../src/identity/applications/repository.ts";
import type { ProjectId } from "../../../../src/kernel/base/ids.ts";
import { document, metadataOf } from "./metadata-server.ts";
import { dayMs, openRefreshFixture, type RefreshFixture, url } from "./refresh-fixture.ts";
import { metadata, service } from "./metadata-document.ts";
import { samlOf } from "../../../support/samples.ts";

describe("validUntil", () => {
  const parse = (xml: string) =>
    parseSamlMetadata(new Uint8Array(Buffer.from(xml)), { nowMs: at(12), dev: false, field: "metadata_xml" });
  const until = (hour: number) => `validUntil="2026-06-01T${hour}:00:00Z"`;
  const at = (hour: number) => Date.UTC(2026, 5, 1, hour);

  test("is that of the root or of the SPSSODescriptor, whichever is earlier", () => {
    expect(parse(metadata({})).validUntilMs).toBeUndefined();
    expect(parse(metadata({ entity: until(13) })).validUntilMs).toBe(at(13));
    expect(parse(metadata({ provider: until(13) })).validUntilMs).toBe(at(13));
    expect(parse(metadata({ entity: until(14), provider: until(13) })).validUntilMs).toBe(at(13));
    expect(parse(metadata({ entity: until(13), provider: until(14) })).validUntilMs).toBe(at(13));
  });

  test("of elements that do not count does not count", () => {
    const other = `<md:IDPSSODescriptor ${until(13)}/><md:SPSSODescriptor ${until(11)}>${service()}</md:SPSSODescriptor>`;
    expect(parse(metadata({ before: other, provider: until(14) })).validUntilMs).toBe(at(14));
  });

  test("is found in documents that were taken before it was kept", () => {
    expect(findValidUntil(metadata({}))).toBeUndefined();
    expect(findValidUntil(`\uFEFF${metadata({ entity: until(11), provider: until(13) })}`)).toBe(at(11));
    expect(findValidUntil("<validUntil")).toBeUndefined();
  });
});

let world: RefreshFixture;

beforeEach(async () => {
  world = await openRefreshFixture();
});

afterEach(() => world.close());

/** Returns metadata that is valid for so many days from now; two SPSSODescriptors when there are two numbers. */
function validFor(...days: readonly number[]): string {
  const [before = "", provider = "", behind = ""] = metadataOf("e").split(
    /(?=<md:SPSSODescriptor)|(?=<\/md:Entity)/,
  );
  const until = (count: number) => new Date(world.fixture.clock.nowMs() + count * dayMs).toISOString();
  const providers = days.map((count, at) =>
    provider
      .replace("<md:SPSSODescriptor", `$& validUntil="${until(count)}"`)
      .replace("https://sp.example.com/acs", `https://sp.example.com/acs${at}`),
  );
  return before + providers.join("") + behind;
}

/** Returns whether the application is expired, read by itself and in the list. */
async function expired(id: string): Promise<readonly boolean[]> {
  const nowMs = world.fixture.clock.nowMs();
  const project = await world.fixture.database.read((tx) =>
    tx.get<{ project_id: ProjectId }>("SELECT project_id FROM applications WHERE id = ?", [id]),
  );
  if (project === undefined) throw new Error("there is no such application");
  const asked = { of: project.project_id, filter: {} };
  const listed = await world.fixture.database.read((tx) =>
    applicationList.read(tx, asked, { after: undefined, limit: 10 }),
  );
  return [await world.samlOf(id), ...listed.map(samlOf)].map((saml) => isMetadataExpired(saml, nowMs));
}

test("metadata that was sent expires, and is made so again out of the events", async () => {
  const { id } = await world.createWith("", validFor(1));
  world.fixture.clock.turn(dayMs - 1);
  expect(await expired(id)).toEqual([false, false]);
  world.fixture.clock.turn(1);
  expect(await expired(id)).toEqual([true, true]);
  await world.fixture.rebuild();
  expect(await expired(id)).toEqual([true, true]);
  expect((await world.samlOf(id)).metadataState).toBe("READY");
});

test("metadata from a URL expires while its server gives the same, and what gave it stays in force", async () => {
  world.server.answer(document(validFor(1)));
  const { id } = await world.createWith(url);
  world.fixture.clock.turn(dayMs);
  await world.refresh.run();
  expect(await expired(id)).toEqual([true, true]);
  expect(await world.samlOf(id)).toMatchObject({
    metadata: { entityId: "e" },
    metadataState: "FAILED",
    metadataError: "SAML_METADATA_EXPIRED",
  });
  world.server.answer(document(validFor(1)));
  world.fixture.clock.turn(dayMs);
  await world.refresh.run();
  expect(await expired(id)).toEqual([true, true]); // that one was of the day before
});

test("the next SPSSODescriptor of the same document comes in force when the first has expired", async () => {
  world.server.answer(document(validFor(1, 9)));
  const { id } = await world.createWith(url);
  world.fixture.clock.turn(dayMs);
  await world.refresh.run();
  expect(await expired(id)).toEqual([false, false]);
  const saml = await world.samlOf(id);
  expect(saml.metadata?.assertionConsumerServices[0]?.location).toBe("https://sp.example.com/acs1");
  world.fixture.clock.turn(8 * dayMs);
  expect(await expired(id)).toEqual([true, true]);
});

test("what was taken before validUntil was kept finds it in its document, also after a rebuild", async () => {
  const { id } = await world.createWith("", validFor(1));
  const { raw } = world.fixture.place;
  const [added] = await world.fixture.events(id);
  const payload = JSON.stringify(added?.payload, (key, value: unknown) =>
    key === "valid_until" ? undefined : value,
  );
  await raw.damage("UPDATE stored_applications SET metadata_valid_until = NULL");
  await raw.damage("UPDATE events SET payload = ? WHERE sequence = ?", [payload, added?.sequence ?? 0]);
  for (let round = 0; round < 2; round++) {
    expect(await expired(id)).toEqual([false, false]);
    world.fixture.clock.turn(dayMs);
    expect(await expired(id)).toEqual([true, true]);
    world.fixture.clock.turn(-dayMs);
    await world.fixture.rebuild();
  }
  const row = await world.fixture.database.read((tx) =>
    tx.get<{ until: number | null }>("SELECT metadata_valid_until AS until FROM applications WHERE id = ?", [
      id,
    ]),
  );
  expect(row?.until).toBeNull();
});

test("a list gives out no document, not even where it has to look into it", async () => {
  const { id } = await world.createWith("", validFor(1));
  await world.fixture.database.write((tx) =>
    tx.run("UPDATE stored_applications SET metadata_valid_until = NULL"),
  );
  const [application] = await world.fixture.database.read(async (tx) => {
    const row = await tx.get<{ project_id: ProjectId }>("SELECT project_id FROM applications WHERE id = ?", [
      id,
    ]);
    if (row === undefined) throw new Error("there is no such application");
    const asked = { of: row.project_id, filter: {} };
    return await applicationList.read(tx, asked, { after: undefined, limit: 10 });
  });
  expect(application && samlOf(application).metadata).toMatchObject({ entityId: "e", xml: "" });
});

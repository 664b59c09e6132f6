import { beforeAll, describe, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../src/kernel/base/ids.ts";
import type { OpenEvent } from "../../src/kernel/events/transfer/restore.ts";
import type { ExportLine } from "../../src/importing/gatehouse/format.ts";
import { createInside } from "../../src/importing/gatehouse/organization/inside.ts";
import { stageLines } from "../../src/importing/gatehouse/organization/staged-lines.ts";
import { takeInOrganization } from "../../src/importing/gatehouse/organization/take-in.ts";
import { listOrganizationExport } from "../../src/importing/gatehouse/organization/write.ts";
import { openGeneric } from "../../src/importing/generic/source.ts";
import { openFeatureFixture } from "../support/feature-fixture.ts";
import { openImportGround } from "./support/import-ground.ts";

const ground = await openImportGround();
const { context } = ground.fixture;
let organizationId: OrganizationId;
let lines: readonly ExportLine[];
/** A recent event of a user. */
let sample: OpenEvent;

beforeAll(async () => {
  organizationId = await ground.fixture.addOrganization();
  const people = [
    { type: "project", id: "p", name: "Shop", roles: ["admin"] },
    { type: "user", id: "1", username: "moving-ada", roles: ["Shop/admin"] },
  ];
  const files = ground.write({ "people.jsonl": people.map((each) => JSON.stringify(each)).join("\n") });
  await ground.apply(organizationId, openGeneric(files, "generic"));
  const run = { context, instanceId: "1", organizationId, hasSecrets: true };
  lines = await Array.fromAsync(listOrganizationExport(run));
  const events = lines.flatMap((line) => (line.kind === "event" ? [line.value] : []));
  sample = events.findLast(({ type }) => type === "user.added") as OpenEvent; // the import has made one
});

/** Takes lines in at another place, and says what came of it. */
async function takeIn(change: (all: readonly ExportLine[]) => readonly ExportLine[]): Promise<string> {
  const other = await openFeatureFixture();
  try {
    other.clock.turn(60_000); // at the same time would be the same sequences
    const stranger = await other.addUser(await other.addOrganization());
    const changed = change(lines).map((line) =>
      line.kind === "event" && line.value.aggregate_id === "stranger"
        ? Object.assign({}, line, { value: { ...line.value, aggregate_id: stranger } })
        : line,
    );
    const staged = await stageLines(toStream(changed), other.context.random);
    try {
      await takeInOrganization(other.context, organizationId, staged.read());
    } finally {
      staged.close();
    }
    return "taken in";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await other.close();
  }
}

async function* toStream(all: readonly ExportLine[]): AsyncGenerator<ExportLine, void, undefined> {
  yield* all;
}

const behind =
  (kind: ExportLine["kind"], added: () => ExportLine) =>
  (all: readonly ExportLine[]): readonly ExportLine[] => {
    const at = all.findLastIndex((line) => line.kind === kind) + 1;
    return [...all.slice(0, at), added(), ...all.slice(at)];
  };
const event = (change: () => Partial<OpenEvent>) =>
  behind("event", () => {
    const { personal: _personal, ...rest } = sample;
    const sequence = rest.date + 1;
    return { kind: "event", value: { ...rest, sequence, date: sequence, ...change() } };
  });
const membership = (payload: () => object) =>
  event(() => ({
    type: "membership.added",
    aggregate_type: "membership",
    aggregate_id: "7",
    version: 1,
    payload: { roles: ["INSTANCE_OWNER"], ...payload() },
  }));
const secret = (id: string) => behind("row", () => ({ kind: "secret", value: { id, value: "" } }));

describe("an organization from another place", () => {
  test("comes as it was", async () => {
    expect(await takeIn((all) => all)).toBe("taken in");
  });

  test.each([
    ["a membership on the instance", membership(() => ({ user_id: sample.aggregate_id, instance: true }))],
    ["a membership of a stranger", membership(() => ({ user_id: "8", organization_id: organizationId }))],
    ["a membership elsewhere", membership(() => ({ user_id: sample.aggregate_id, organization_id: "9" }))],
    [
      "an event of a stranger",
      event(() => ({ type: "user.deactivated", aggregate_id: "stranger", payload: {} })),
    ],
    ["an event of another owner", event(() => ({ aggregate_id: "7", resource_owner: "1" }))],
    [
      "another organization",
      event(() => ({
        type: "organization.added",
        aggregate_type: "organization",
        aggregate_id: "7",
        version: 1,
        payload: { name: "Other" },
      })),
    ],
    [
      "a key of the instance",
      event(() => ({ type: "signing_key.added", aggregate_type: "signing_key", aggregate_id: "7" })),
    ],
    ["an event under another name", event(() => ({ aggregate_type: "project", aggregate_id: "7" }))],
    [
      "a key of a stranger",
      behind("user_key", () => ({ kind: "user_key", value: { user_id: "7", organization_id: "1" } })),
    ],
    [
      "a row of another owner",
      behind("event", () => ({
        kind: "row",
        value: { table: "activity_hours", columns: { resource_owner: "1" } },
      })),
    ],
    ["the hash of a stranger's token", secret("token:7")],
    ["a secret of the instance", secret("signing-key:7")],
  ])("is refused with %s", async (_what, change) => {
    expect(await takeIn(change)).toMatch(
      /^line \d+ is damaged: the (?:event|row|secret|user_key) is about something outside of the organization$/,
    );
  });

  test("is refused with a setting, an event of the future or of the same moment, and a name that is taken", async () => {
    expect(
      await takeIn(behind("export", () => ({ kind: "setting", value: { name: "instance_id", value: "7" } }))),
    ).toContain("an organization has no settings");
    const sequence = context.clock.nowMs() * 2000;
    expect(await takeIn(event(() => ({ aggregate_id: "7", sequence, date: sequence })))).toContain(
      "the event is of the future",
    );
    const twice = { aggregate_id: "7", sequence: sample.sequence };
    expect(await takeIn(event(() => twice))).toContain("another event of the same microsecond");
    const added = { type: "user.added", aggregate_id: "7", personal: { username: "moving-ada" } };
    // Which of the two events fails is up to the engine.
    expect(await takeIn(event(() => added))).toMatch(
      /^the organization does not fit into this place: the event \d+ \(user.added of \d+\) cannot be applied/,
    );
  });
});

describe("what refers to something outside", () => {
  const decide = (type: string, payload: object, id = "7") =>
    context.database.read((tx) =>
      createInside(organizationId).decide(tx, { type, aggregate_id: id, payload }),
    );

  test("is left out, or comes without that", async () => {
    const outside = { field: "idp_id", kind: "identity_provider", id: "5" };
    expect(await decide("user.idp_link.added", { link_id: "1", idp_id: "5" })).toEqual({
      kind: "left-out",
      outsiders: [outside],
    });
    expect(await decide("login_policy.idp.removed", { idp_id: "5" })).toEqual({
      kind: "left-out",
      outsiders: [outside],
    });
    expect(await decide("group.added", { name: "Staff", source_idp_id: "5" })).toEqual({
      kind: "without",
      outsiders: [{ ...outside, field: "source_idp_id" }],
    });
    expect(
      await decide("group.member.added", { user_ids: [sample.aggregate_id, "6"], group_ids: [] }),
    ).toEqual({ kind: "left-out", outsiders: [{ field: "user_ids", kind: "user", id: "6" }] });
    expect(await decide("group.member.added", { user_ids: [sample.aggregate_id], group_ids: [] })).toEqual({
      kind: "whole",
    });
  });
});

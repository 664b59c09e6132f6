import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type InteractionId,
  type OrganizationId,
  type ProjectId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import {
  hashInteractionHolder,
  hashLogoutHolder,
  interactionMs,
  maxInteractionsOfUser,
  maxWaitingInteractions,
  maxWaitingLogouts,
} from "../../../../src/identity/logins/interactions/interaction.ts";
import {
  putInteraction,
  putNewInteraction,
  putNewLogout,
} from "../../../../src/identity/logins/interactions/repository.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { fillInteractions } from "../../../support/waiting-interactions.ts";

let fixture: FeatureFixture;
let owner: OrganizationId;
let guests: OrganizationId;
let project: ProjectId;
let application: ApplicationId;
let guest: UserId;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  owner = await fixture.addOrganization();
  guests = await fixture.addOrganization();
  project = await fixture.addProject(owner);
  application = await addApplication(project);
  guest = await fixture.addUser(guests);
});
afterEach(() => fixture.close());

async function addApplication(of: ProjectId): Promise<ApplicationId> {
  const id = toId<ApplicationId>(fixture.context.ids.next());
  await fixture.record({
    type: "application.added",
    aggregateId: id,
    resourceOwner: owner,
    payload: {
      project_id: of,
      name: id,
      metadata_url: "https://sp.test/",
      metadata_error: "SAML_METADATA_UNREACHABLE",
    },
  });
  return id;
}

interface Given {
  readonly application?: ApplicationId;
  readonly user?: UserId;
}

function made(id: string, given: Given) {
  const { keyring, clock } = fixture.context;
  return {
    id: toId<InteractionId>(id),
    cookieHash: id,
    userId: given.user,
    applicationId: given.application,
    content: keyring.encrypt("interaction", Buffer.from("{}"), id),
    expirationMs: clock.nowMs() + interactionMs,
  };
}

async function begin(id: string, { from = "192.0.2.1", ...given }: Given & { readonly from?: string } = {}) {
  const { keyring, clock } = fixture.context;
  const holderHash = hashInteractionHolder(keyring, from);
  await fixture.database.write((tx) =>
    putNewInteraction(tx, made(id, given), { holderHash, nowMs: clock.nowMs() }),
  );
}

const idsLeft = () =>
  fixture.database.read(async (tx) => {
    const rows = await tx.all<{ id: string }>("SELECT id FROM interactions ORDER BY id");
    return rows.map(({ id }) => id);
  });

function removed(
  type: "application.removed" | "organization.removed" | "project.removed" | "user.removed",
  aggregateId: string,
  resourceOwner: string,
): NewEvent {
  return { type, aggregateId, resourceOwner, payload: {} };
}

/** Records it without what happens later in the background. */
async function happen(event: NewEvent): Promise<void> {
  const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
  await fixture.database.write((tx) => fixture.context.log.append(tx, origin, [event]));
}

describe("a removal takes the interactions in the same transaction", () => {
  beforeEach(async () => {
    await begin("0");
    await begin("1", { application });
    await begin("2", { application: await addApplication(project) });
    await begin("3", { application: await addApplication(await fixture.addProject(owner)) });
    await begin("4");
    await fixture.database.write((tx) => putInteraction(tx, made("4", { user: guest })));
  });

  const removals: readonly (readonly [what: string, event: () => NewEvent, left: readonly string[]])[] = [
    ["of the application", () => removed("application.removed", application, owner), ["0", "2", "3", "4"]],
    ["of the project", () => removed("project.removed", project, owner), ["0", "3", "4"]],
    ["of the organization that it is in", () => removed("organization.removed", owner, owner), ["0", "4"]],
    [
      "of the organization of the user",
      () => removed("organization.removed", guests, guests),
      ["0", "1", "2", "3"],
    ],
    ["of the user", () => removed("user.removed", guest, guests), ["0", "1", "2", "3"]],
  ];

  test.each(removals)("%s", async (_what, event, left) => {
    await happen(event());
    expect(await idsLeft()).toEqual(left);
  });

  test("however many there are", async () => {
    await fillInteractions(fixture.database, { like: "1", count: 1200 });
    await happen({
      type: "application.removed",
      aggregateId: application,
      resourceOwner: owner,
      payload: {},
    });
    expect(await idsLeft()).toEqual(["0", "2", "3", "4"]);
  });
});

describe("in a network", () => {
  const isFull = { reason: "LIMIT_REACHED", metadata: { type: "waiting_login" } };

  test("so many interactions wait, and no more; another network has its own", async () => {
    await begin("1");
    fixture.clock.turn(1000);
    await fillInteractions(fixture.database, { like: "1", count: maxWaitingInteractions - 2 });
    await begin("2");
    await expect(begin("3")).rejects.toMatchObject({ ...isFull, retryAfterMs: interactionMs - 1000 });
    await expect(begin("3", { application })).rejects.toMatchObject(isFull);
    await begin("4", { from: "192.0.2.2" });
    fixture.clock.turn(interactionMs - 1000);
    await begin("5");
  });

  test("whoever has proved something counts no more, and neither does what a session has led to", async () => {
    await begin("1");
    await fillInteractions(fixture.database, { like: "1", count: maxWaitingInteractions - 1 });
    await fixture.database.write((tx) => putInteraction(tx, made("6", {})));
    await expect(begin("2")).rejects.toMatchObject(isFull);
    await fixture.database.write((tx) => putInteraction(tx, made("1", { user: guest })));
    await begin("2");
    await expect(begin("3")).rejects.toMatchObject(isFull);
  });

  test("all addresses of a customer of IPv6 count together, and none is stored", async () => {
    await begin("1", { from: "2001:db8::1" });
    await fillInteractions(fixture.database, { like: "1", count: maxWaitingInteractions - 1 });
    await expect(begin("2", { from: "2001:db8::ffff:1" })).rejects.toMatchObject(isFull);
    await begin("2", { from: "2001:db8:0:1::1" });
    const rows = await fixture.place.raw.peek("SELECT holder_hash FROM interactions WHERE id IN ('1', '2')");
    expect(JSON.stringify(rows)).not.toContain("2001:");
  });
});

describe("logouts", () => {
  const logOut = async (id: string, userId?: UserId) => {
    const origin = { userId, remoteAddress: "192.0.2.1" };
    const holderHash = hashLogoutHolder(fixture.context.keyring, origin);
    await fixture.database.write((tx) =>
      putNewLogout(tx, made(id, {}), { holderHash, max: maxWaitingLogouts(origin) }),
    );
  };

  test("have places of their own, and the oldest goes where all are taken", async () => {
    await begin("0");
    await fillInteractions(fixture.database, { like: "0", count: maxWaitingInteractions - 1 });
    await logOut("1");
    fixture.clock.turn(1);
    await logOut("2");
    await fillInteractions(fixture.database, { like: "2", count: maxWaitingInteractions - 2 });
    expect(await idsLeft()).toHaveLength(2 * maxWaitingInteractions);
    fixture.clock.turn(1);
    await logOut("3");
    const left = await idsLeft();
    expect(left).toHaveLength(2 * maxWaitingInteractions);
    expect([left.includes("0"), left.includes("1"), left.includes("3")]).toEqual([true, false, true]);
  });

  test("of a user with a session count there only", async () => {
    await logOut("1");
    await fillInteractions(fixture.database, { like: "1", count: maxWaitingInteractions - 1 });
    await logOut("2", guest);
    await fillInteractions(fixture.database, { like: "2", count: maxInteractionsOfUser - 1 });
    fixture.clock.turn(1);
    await logOut("3", guest);
    const left = await idsLeft();
    expect(left).toHaveLength(maxWaitingInteractions + maxInteractionsOfUser);
    expect([left.includes("1"), left.includes("3")]).toEqual([true, true]);
  });
});

describe("of a user", () => {
  test("the newest stay, whether a session or a proof has led to them; nobody else loses any", async () => {
    const other = await fixture.addUser(guests);
    await begin("1", { user: guest });
    await begin("2", { user: other });
    await begin("3");
    fixture.clock.turn(1);
    await begin("4", { user: guest });
    await fillInteractions(fixture.database, { like: "4", count: maxInteractionsOfUser - 2 });
    expect(await idsLeft()).toHaveLength(maxInteractionsOfUser + 2);

    fixture.clock.turn(1);
    await begin("5", { user: guest });
    const left = await idsLeft();
    expect(left).toHaveLength(maxInteractionsOfUser + 2);
    expect(["1", "2", "3", "5"].map((id) => left.includes(id))).toEqual([false, true, true, true]);

    await fixture.database.write((tx) => putInteraction(tx, made("3", { user: guest })));
    expect(await idsLeft()).toHaveLength(maxInteractionsOfUser + 1);
    await fixture.database.write((tx) => putInteraction(tx, made("3", { user: guest })));
    expect(await idsLeft()).toHaveLength(maxInteractionsOfUser + 1);
  });
});

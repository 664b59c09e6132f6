import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { create, getOption } from "@bufbuild/protobuf";
import { access as accessOption } from "../../../gen/gatehouse/v1/access_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import type { Call, Caller } from "../../../src/kernel/base/call.ts";
import { createEventCommands } from "../../../src/identity/events/commands.ts";
import { createAccessControl } from "../../../src/identity/access/access-control.ts";
import { removeToken } from "../../../src/identity/programs/tokens/token.ts";
import { instanceId, openSetup, type Setup } from "../memberships/setup.ts";
import { everything } from "./fixture.ts";
import { callWith, noJwts } from "../../support/no-access-tokens.ts";
import { tokenIdOf } from "../../support/token-id-of.ts";

let setup: Setup;
let caller: Caller;
let abort: AbortController;

beforeEach(async () => {
  setup = await openSetup();
  abort = new AbortController();
  await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
});
afterEach(() => setup.close());

/** Opens a watch as the pipeline does, has the last event, and returns what comes of waiting for the next one. */
async function openAndWait(organizationId?: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { database, clock, context } = setup.log;
  const control = createAccessControl({ database, clock, instanceId, jwts: noJwts });
  const expirationMs = clock.nowMs() + 60_000;
  const { text } = await setup.addToken({ userId: setup.userId, by: "system", expirationMs });
  ({ caller } = await control.authenticate(callWith(`Bearer ${text}`)));
  const method = EventService.method.watchEvents;
  const { access, confirm } = await control.authorize({
    rule: getOption(method, accessOption),
    caller,
    request: create(method.input),
    organizationId,
  });
  const call: Call = {
    requestId: "request-1",
    remoteAddress: undefined,
    caller,
    access,
    deadlineMs: undefined,
    signal: abort.signal,
    confirm,
  };
  const limits = { watchMaxLagMs: 1000, maxWatches: 1, maxWatchesPerOrganization: 1 };
  const commands = createEventCommands(context, { ...limits, checkEveryMs: 50 });
  const watch = commands.watch(call, { filter: { ...everything, eventType: "project.added" }, after: 0 });
  const iterator = watch[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toMatchObject({ event: { type: "project.added" } });
  const ended = iterator.next();
  ended.catch(() => {}); // may come while the loss is still under way
  return { ended };
}

const userEvent = (type: "user.deactivated" | "user.locked") =>
  ({ type, aggregateId: setup.userId, resourceOwner: setup.home, payload: {} }) as const;

const losses: readonly (readonly [string, string, () => Promise<unknown>])[] = [
  [
    "its token is removed",
    "TOKEN_INVALID",
    () => {
      const { userId, organizationId } = caller;
      return setup.log.append([removeToken({ tokenId: tokenIdOf(caller), userId, organizationId })]);
    },
  ],
  [
    "its user is deactivated",
    "TOKEN_INVALID",
    async () => {
      await setup.log.run("UPDATE stored_users SET state = 'INACTIVE' WHERE id = ?", [setup.userId]);
      await setup.log.append([userEvent("user.deactivated")]);
    },
  ],
  [
    "its user is locked",
    "TOKEN_INVALID",
    async () => {
      await setup.log.run("UPDATE stored_users SET state = 'LOCKED' WHERE id = ?", [setup.userId]);
      await setup.log.append([userEvent("user.locked")]);
    },
  ],
  [
    "its organization is deactivated",
    "TOKEN_INVALID",
    async () => {
      await setup.log.run("UPDATE stored_organizations SET state = 'INACTIVE' WHERE id = ?", [setup.home]);
      const { home } = setup;
      await setup.log.append([
        { type: "organization.deactivated", aggregateId: home, resourceOwner: home, payload: {} },
      ]);
    },
  ],
  ["its token expires", "TOKEN_INVALID", async () => setup.log.clock.turn(60_000)],
  [
    "the membership that gave the permission is gone",
    "PERMISSION_DENIED",
    () => setup.log.run("DELETE FROM stored_memberships WHERE user_id = ?", [setup.userId]),
  ],
];

test.each(losses)("a watch ends when %s: %s", async (_what, reason, lose) => {
  const { ended } = await openAndWait();
  await lose();
  await expect(ended).rejects.toMatchObject({ reason });
});

test.each(losses)("a watch of one organization ends when %s: %s", async (_what, reason, lose) => {
  const { ended } = await openAndWait(setup.home);
  await lose();
  await expect(ended).rejects.toMatchObject({ reason });
});

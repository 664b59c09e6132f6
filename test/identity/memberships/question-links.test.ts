import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { IdentityLinkId, IdentityProviderId, TokenId, UserId } from "../../../src/kernel/base/ids.ts";
import type { Role } from "../../../src/kernel/base/permission.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { listQuestionedLinks } from "../../../src/identity/people/identity-links/repository.ts";
import { systemOrigin } from "../../kernel/events/test-log.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";

// Which links to identities elsewhere a user who gains roles is asked about at the next login, as decision 14 has it for tokens.

let setup: Setup;
let owner: Call;
beforeEach(async () => {
  setup = await openSetup();
  owner = callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
});
afterEach(() => setup.close());

async function addMaker(...roles: readonly Role[]) {
  const userId = await setup.addUser(setup.home);
  await setup.give(userId, setup.scopes.home, ...roles);
  const { id: tokenId } = await setup.addToken({ userId, by: "system" });
  return { userId, tokenId };
}

async function addLink(by: UserId | "system", madeWith?: TokenId): Promise<IdentityLinkId> {
  const { log, userId, home } = setup;
  const id = log.context.ids.next<IdentityLinkId>();
  await log.database.write((tx) =>
    log.context.log.append(tx, { ...systemOrigin, editor: by }, [
      {
        type: "user.idp_link.added",
        aggregateId: userId,
        resourceOwner: home,
        payload: {
          link_id: id,
          idp_id: log.context.ids.next<IdentityProviderId>(),
          issuer: "https://idp.test",
          external_user_id: "subject",
          ...(madeWith === undefined ? {} : { made_with_token_id: madeWith }),
        },
      },
    ]),
  );
  return id;
}

async function gain(...roles: readonly Role[]) {
  const commands = createMembershipCommands(setup.log.context, instanceId);
  const scope = { kind: "organization", id: setup.home } as const;
  return await commands.add(owner, { userId: setup.userId, scope, roles });
}

const questioned = async () =>
  (await setup.log.database.read((tx) => listQuestionedLinks(tx, setup.userId))).map(({ id }) => id);

test("a gain puts in question what others without the roles have linked, and nothing else", async () => {
  const manager = await addMaker("ORGANIZATION_USER_MANAGER");
  const peer = await addMaker("ORGANIZATION_OWNER");
  const links = {
    own: await addLink(setup.userId),
    system: await addLink("system"),
    peer: await addLink(peer.userId, peer.tokenId),
    manager: await addLink(manager.userId, manager.tokenId),
    manageLogin: await addLink(manager.userId),
  };
  await gain("ORGANIZATION_OWNER");
  expect(await questioned()).toEqual([links.manager, links.manageLogin]);
  const before = await setup.log.dump();
  await setup.log.rebuild();
  expect(await setup.log.dump()).toEqual(before);
});

test("a gain of roles that the maker holds puts nothing in question", async () => {
  const manager = await addMaker("ORGANIZATION_USER_MANAGER");
  await addLink(manager.userId, manager.tokenId);
  await gain("ORGANIZATION_USER_MANAGER");
  expect(await questioned()).toEqual([]);
});

test("what is put in question ends the sessions of the user, for others may be logged in", async () => {
  const manager = await addMaker("ORGANIZATION_USER_MANAGER");
  const { log, userId, home } = setup;
  await log.append([
    {
      type: "session.added",
      aggregateId: "900",
      resourceOwner: home,
      payload: { user_id: userId, methods: ["IDP"], expiration_date: "2999-01-01T00:00:00.000Z" },
    },
  ]);
  const stateOf = () =>
    log.database.read((tx) => tx.get<{ state: string }>("SELECT state FROM sessions WHERE id = '900'", []));
  await gain("ORGANIZATION_VIEWER");
  expect(await stateOf()).toEqual({ state: "ACTIVE" });
  await addLink(manager.userId, manager.tokenId);
  await setup.give(userId, setup.scopes.partner, "ORGANIZATION_VIEWER");
  const commands = createMembershipCommands(log.context, instanceId);
  await commands.add(owner, {
    userId,
    scope: { kind: "project", id: setup.projectId },
    roles: ["PROJECT_OWNER"],
  });
  expect(await stateOf()).toEqual({ state: "TERMINATED" });
});

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type {
  RecoveryCodesId,
  SecondFactorId,
  TokenId,
  UserId,
  IdentityLinkId,
  IdentityProviderId,
} from "../../../src/kernel/base/ids.ts";
import type { Role, Scope } from "../../../src/kernel/base/permission.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { listQuestionedWays, listWayLineages } from "../../../src/identity/factors/reviews/repository.ts";
import { listQuestionedFactors } from "../../../src/identity/factors/second-factors/repository.ts";
import { systemOrigin } from "../../kernel/events/test-log.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";
import { listQuestionedLinks } from "../../../src/identity/people/identity-links/repository.ts";

// Which second factors and links a user who gains roles is asked about at the next login: decision 14.

let setup: Setup;
let owner: Call;
beforeEach(async () => {
  setup = await openSetup();
  owner = callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
});
afterEach(() => setup.close());

/** A user of home with these roles there, and a token that the service itself made. */
async function addMaker(...roles: readonly Role[]) {
  const userId = await setup.addUser(setup.home);
  await setup.give(userId, setup.scopes.home, ...roles);
  const { id: tokenId } = await setup.addToken({ userId, by: "system" });
  return { userId, tokenId };
}

/** Registers a factor of the user by a call of that one. */
async function addFactor(by: UserId | "system", madeWith?: TokenId): Promise<SecondFactorId> {
  const { log, userId, home } = setup;
  const id = log.context.ids.next<SecondFactorId>();
  const about = { aggregateId: userId, resourceOwner: home };
  const credential = { credential_id: `credential-${id}`, public_key: "", counter: "0" };
  await log.database.write(async (tx) => {
    await log.context.log.append(tx, { ...systemOrigin, editor: by }, [
      { ...about, type: "user.u2f.added", payload: { u2f_id: id, domain: "login.example" } },
      {
        ...about,
        type: "user.u2f.verified",
        payload: {
          ...credential,
          u2f_id: id,
          name: "Key",
          aaguid: "",
          attestation_format: "none",
          ...(madeWith === undefined ? {} : { made_with_token_id: madeWith }),
        },
      },
    ]);
  });
  return id;
}

async function gain(scope: Scope & { readonly kind: "organization" }, ...roles: readonly Role[]) {
  const commands = createMembershipCommands(setup.log.context, instanceId);
  const name = { kind: scope.kind, id: scope.organizationId };
  return await commands.add(owner, { userId: setup.userId, scope: name, roles });
}

const homeScope = () => setup.scopes.home as Scope & { kind: "organization" };
const questioned = async () => {
  const factors = await setup.log.database.read((tx) => listQuestionedFactors(tx, setup.userId));
  return factors.map(({ id }) => id);
};

test("those that others registered who do not hold the roles, with or without a token", async () => {
  const weak = await addMaker("ORGANIZATION_USER_MANAGER");
  const strong = await addMaker("ORGANIZATION_OWNER");
  const inLogin = await addFactor(weak.userId);
  const byToken = await addFactor(weak.userId, weak.tokenId);
  await addFactor(strong.userId, strong.tokenId);
  await addFactor(setup.userId);
  await addFactor("system");
  await gain(homeScope(), "ORGANIZATION_OWNER");
  expect(await questioned()).toEqual([inLogin, byToken]);
  const before = await setup.log.dump();
  await setup.log.rebuild();
  expect(await setup.log.dump()).toEqual(before);
});

test("those that were registered with a token of the user that does not carry the roles, or is gone", async () => {
  const weak = await addMaker("ORGANIZATION_USER_MANAGER");
  const given = await setup.addToken({ userId: setup.userId, by: weak.userId, with: weak.tokenId });
  const own = await setup.addToken({ userId: setup.userId, by: setup.userId });
  const byGiven = await addFactor(setup.userId, given.id);
  await addFactor(setup.userId, own.id);
  const byNobody = await addFactor(setup.userId, setup.log.context.ids.next<TokenId>());
  await gain(homeScope(), "ORGANIZATION_OWNER");
  expect(await questioned()).toEqual([byGiven, byNobody]);
});

test("none for roles that whoever registered them holds, and those that are kept never again", async () => {
  const weak = await addMaker("ORGANIZATION_USER_MANAGER");
  const id = await addFactor(weak.userId, weak.tokenId);
  const { id: membership } = await gain(homeScope(), "ORGANIZATION_USER_MANAGER");
  expect(await questioned()).toEqual([]);
  const commands = createMembershipCommands(setup.log.context, instanceId);
  await commands.update(owner, membership, { roles: ["ORGANIZATION_USER_MANAGER", "ORGANIZATION_OWNER"] });
  expect(await questioned()).toEqual([id]);
  const about = { aggregateId: setup.userId, resourceOwner: setup.home };
  await setup.log.append([{ ...about, type: "user.u2f.kept", payload: { u2f_id: id } }]);
  expect(await questioned()).toEqual([]);
  await gain({ kind: "organization", organizationId: setup.partner }, "ORGANIZATION_OWNER");
  expect(await questioned()).toEqual([]);
});

test("an app that others began to register, and recovery codes that they made: they have seen the secrets", async () => {
  const weak = await addMaker("ORGANIZATION_USER_MANAGER");
  const { log, userId } = setup;
  const about = { aggregateId: userId, resourceOwner: setup.home };
  const [totpId, codesId] = [log.context.ids.next<SecondFactorId>(), log.context.ids.next<RecoveryCodesId>()];
  const totp = { ...about, payload: { totp_id: totpId } };
  const codes = { ...about, payload: { codes_id: codesId, count: 10, made_with_token_id: weak.tokenId } };
  const append = async (editor: UserId, ...events: readonly NewEvent[]) =>
    await log.database.write((tx) => log.context.log.append(tx, { ...systemOrigin, editor }, events));
  await append(weak.userId, { ...totp, type: "user.totp.added" });
  await append(userId, { ...totp, type: "user.totp.verified" }); // whoever completes it
  await append(weak.userId, { ...codes, type: "user.recovery_codes.added" });
  await gain(homeScope(), "ORGANIZATION_OWNER");
  const ways = async () =>
    (await log.database.read((tx) => listQuestionedWays(tx, userId))).map(({ id }) => id);
  expect(await ways()).toEqual([totpId, codesId]);
  const before = await log.dump();
  await log.rebuild();
  expect(await log.dump()).toEqual(before);
  const named = { ...about, payload: { codes_id: codesId } };
  await append(userId, { ...totp, type: "user.totp.kept" }, { ...named, type: "user.recovery_codes.kept" });
  expect(await ways()).toEqual([]);
  const lineages = await log.database.read((tx) => listWayLineages(tx, userId));
  expect(lineages.map(({ creator }) => creator)).toEqual([userId, userId]); // who answers for them now
});

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

const questionedLinks = async () =>
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
  await gain(homeScope(), "ORGANIZATION_OWNER");
  expect(await questionedLinks()).toEqual([links.manager, links.manageLogin]);
  const before = await setup.log.dump();
  await setup.log.rebuild();
  expect(await setup.log.dump()).toEqual(before);
});

test("a gain of roles that the maker holds puts nothing in question", async () => {
  const manager = await addMaker("ORGANIZATION_USER_MANAGER");
  await addLink(manager.userId, manager.tokenId);
  await gain(homeScope(), "ORGANIZATION_USER_MANAGER");
  expect(await questionedLinks()).toEqual([]);
});

test("what is put in question ends the sessions of the user, for others may be logged in", async () => {
  const manager = await addMaker("ORGANIZATION_USER_MANAGER");
  const { log, userId } = setup;
  await log.append([
    {
      type: "session.added",
      aggregateId: "900",
      resourceOwner: setup.home,
      payload: { user_id: userId, methods: ["IDP"], expiration_date: "2999-01-01T00:00:00.000Z" },
    },
  ]);
  const stateOf = () =>
    log.database.read((tx) => tx.get<{ state: string }>("SELECT state FROM sessions WHERE id = '900'", []));
  await gain(homeScope(), "ORGANIZATION_VIEWER");
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

import { describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type TokenId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { Scope } from "../../../src/kernel/base/permission.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { readCarriedRoles } from "../../../src/identity/held-roles/carried-roles-repository.ts";
import { limitProviderLogins } from "../../../src/identity/instance/provider-logins.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { type ScopeName } from "../../../src/identity/memberships/membership.ts";
import { listQuestionedWays } from "../../../src/identity/factors/reviews/repository.ts";
import { findSecretOfUser } from "../../../src/identity/programs/secrets/repository.ts";
import { findToken } from "../../../src/identity/programs/tokens/repository.ts";
import { humanProfile, serviceProfile } from "../../support/samples.ts";
import { makeApp } from "../../support/totp.ts";
import { outcomeOf } from "../../support/problems.ts";
import {
  elsewhere,
  inside,
  type Made,
  roleOf,
  type ScopeLabel,
  scopeNames,
  useOriginGround,
} from "./support/origin-ground.ts";

// Every pair of how a credential came to be and of the scope on which its user gains a role later: the credential carries the role only
// if everybody who could have made it could have had the role by themselves. Decision 14; login.md rules 28 and 47.

const ground = useOriginGround();
const {
  give,
  ownAdministrator,
  userManager,
  administratorElsewhere,
  instanceOwner,
  loginOf,
  addToken,
  newAddress,
  setAddress,
  setAddressByProvider,
  proveAddress,
  askForLink,
  setPassword,
  throughLogin,
  byAdministrator,
  inProviderLogin,
  afterReset,
} = ground;

const all: readonly ScopeLabel[] = scopeNames;
const none: readonly ScopeLabel[] = [];

interface Origin {
  /** The scopes on which a role that is gained later is carried. */
  readonly carried: readonly ScopeLabel[];
  readonly make: (userId: UserId) => Promise<Made>;
}

const origins: Readonly<Record<string, Origin>> = {
  "a login at a provider": {
    carried: inside,
    async make(userId) {
      await setAddressByProvider(userId);
      return { ...(await throughLogin(userId, ["IDP"])), hasAddress: true };
    },
  },
  "a login at a provider with a factor of ours": {
    carried: inside,
    make: (userId) => throughLogin(userId, ["IDP", "TOTP"]),
  },
  "an address that was set in a login at a provider": {
    carried: inside,
    async make(userId) {
      await proveAddress(loginOf(userId, ["IDP"]), userId);
      return { hasAddress: true };
    },
  },
  "a token that was made with one of a login at a provider": {
    carried: inside,
    async make(userId) {
      const parent = await addToken(loginOf(userId, ["IDP"]), userId);
      return { tokenId: await addToken(ground.fixture.call({ userId, tokenId: parent }), userId) };
    },
  },
  "a login at a provider with a link that a user manager made": {
    carried: none,
    async make(userId) {
      const externalUserId = `linked-${ground.nextNumber()}`;
      const asked = { userId, providerId: ground.providerId, externalUserId, externalUsername: "" };
      await ground.fixture.commands.links.add(await userManager(), asked);
      return await throughLogin(userId, ["IDP"]);
    },
  },
  "a login at a provider with a link that an administrator elsewhere made": {
    carried: none,
    async make(userId) {
      const externalUserId = `linked-${ground.nextNumber()}`;
      const asked = { userId, providerId: ground.providerId, externalUserId, externalUsername: "" };
      await ground.fixture.commands.links.add(await administratorElsewhere(), asked);
      return await throughLogin(userId, ["IDP"]);
    },
  },
  "a login with the user's own password": {
    carried: all,
    async make(userId) {
      await proveAddress(loginOf(userId, ["PASSWORD"]), userId);
      return { ...(await throughLogin(userId, ["PASSWORD"])), hasAddress: true };
    },
  },
  "an administrator of the user's organization": {
    carried: inside,
    make: async (userId) => await byAdministrator(await ownAdministrator(), userId),
  },
  "an administrator of the user's organization, in a login at a provider, who gains the role before": {
    carried: inside,
    make: (userId) => inProviderLogin((call) => byAdministrator(call, userId)),
  },
  "a password that such an administrator has set so": {
    carried: inside,
    make: (userId) =>
      inProviderLogin(async (call) => {
        await setPassword(call, userId);
        return await throughLogin(userId, ["PASSWORD"]);
      }),
  },
  "a user manager who administers another organization": {
    carried: elsewhere,
    make: async (userId) => await byAdministrator(await administratorElsewhere(), userId),
  },
  "two others, one of whom administers another organization": {
    carried: none,
    async make(userId) {
      for (const call of [await administratorElsewhere(), await userManager()]) {
        const asked = {
          userId,
          providerId: ground.providerId,
          externalUserId: `linked-${ground.nextNumber()}`,
        };
        await ground.fixture.commands.links.add(call, { ...asked, externalUsername: "" });
      }
      return { tokenId: await addToken(loginOf(userId, ["PASSWORD", "IDP"]), userId) };
    },
  },
  "an owner of the instance": {
    carried: all,
    make: async (userId) => await byAdministrator(await instanceOwner(), userId),
  },
  "the command line": {
    carried: all,
    make: async (userId) => ({ tokenId: await ground.fixture.addSystemToken(userId) }),
  },
  "a reset by a mail to an address that a provider vouches for": {
    carried: inside,
    async make(userId) {
      await setAddressByProvider(userId);
      return await afterReset(userId);
    },
  },
  "a reset by a mail to an address that an administrator of the organization vouches for": {
    carried: inside,
    async make(userId) {
      await setAddress(await ownAdministrator(), userId);
      return await afterReset(userId);
    },
  },
  "a reset by a mail to an address that the user has proved": {
    carried: all,
    async make(userId) {
      await proveAddress(loginOf(userId, ["PASSWORD"]), userId);
      return await afterReset(userId);
    },
  },
};

function toName(scope: Scope): ScopeName {
  switch (scope.kind) {
    case "instance":
      return { kind: "instance" };
    case "organization":
      return { kind: "organization", id: scope.organizationId };
    case "project":
      return { kind: "project", id: scope.projectId };
    case "project-grant":
      return { kind: "project-grant", id: scope.projectGrantId };
  }
}

async function gain(userId: UserId, scope: Scope): Promise<void> {
  const commands = createMembershipCommands(ground.fixture.context, toId("1"));
  await commands.add(ground.fixture.call(), { userId, scope: toName(scope), roles: [roleOf[scope.kind]] });
}

/** Says of each thing that was made whether somebody who has it has the role. */
async function carriedBy({ tokenId, session, hasAddress }: Made, userId: UserId) {
  return {
    ...(tokenId !== undefined && {
      token: await ground.fixture.read(async (tx) => {
        const token = await findToken(tx, tokenId);
        if (token === undefined) throw new Error("the token is gone");
        return (await readCarriedRoles(tx, token)).held.some(({ roles }) => roles.length > 0);
      }),
    }),
    ...(session !== undefined && {
      session: await ground.fixture.read(
        async (tx) =>
          (await tx.get("SELECT 1 FROM sessions WHERE id = ? AND state = 'ACTIVE'", [session])) !== undefined,
      ),
      refresh: await ground.fixture.read(
        async (tx) =>
          (await tx.get("SELECT 1 FROM authorizations WHERE id = ? AND is_ended = 0", [session])) !==
          undefined,
      ),
    }),
    ...(hasAddress === true && { reset: (await askForLink(userId)) !== undefined }),
  };
}

describe.each(Object.entries(origins))("what came of %s", (_name, { carried, make }) => {
  test("carries roles that are gained later only where everybody has them who could have made it", async () => {
    const seen: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const label of scopeNames) {
      const profile = humanProfile({ username: `user-${ground.nextNumber()}`, email: newAddress() });
      const { id: userId } = await ground.fixture.commands.addHuman(ground.fixture.call(), profile);
      const made = await make(userId);
      const before = await carriedBy({ ...made, hasAddress: false }, userId);
      await gain(userId, ground.scopes[label]);
      seen[label] = await carriedBy(made, userId);
      const isCarried = carried.includes(label);
      expected[label] = Object.fromEntries(
        [...Object.keys(before), ...(made.hasAddress === true ? ["reset"] : [])].map((key) => [
          key,
          isCarried,
        ]),
      );
    }
    expect(seen).toEqual(expected);
  });
});

describe("what an administrator makes in a login at a provider alone, before gaining all roles outside", () => {
  const labels = ["instance", "own organization", "other organization"] as const;
  const expected = { instance: false, "own organization": true, "other organization": false };

  test.each<[string, (call: Call, userId: UserId) => Promise<TokenId | undefined>]>([
    ["a token", addToken],
    [
      "a key",
      async (call, userId) => {
        const asked = { userId, expirationMs: undefined, publicKey: new Uint8Array() };
        return (await ground.fixture.commands.keys.add(call, asked)).id;
      },
    ],
    [
      "a secret",
      async (call, userId) => {
        await ground.fixture.commands.secrets.generate(call, userId);
        return (await ground.fixture.read((tx) => findSecretOfUser(tx, userId)))?.id;
      },
    ],
  ])("%s of a service user does not carry them", async (_name, make) => {
    const seen: Record<string, unknown> = {};
    for (const label of labels) {
      const profile = serviceProfile({ username: `service-${ground.nextNumber()}` });
      const { id: userId } = await ground.fixture.commands.addService(ground.fixture.call(), profile);
      const made = await inProviderLogin(async (call) => ({
        tokenId: (await make(call, userId)) ?? toId(""),
      }));
      await gain(userId, ground.scopes[label]);
      seen[label] = (await carriedBy(made, userId)).token;
    }
    expect(seen).toEqual(expected);
  });

  test("the address of a new user gets no link", async () => {
    const seen: Record<string, unknown> = {};
    for (const label of labels) {
      let userId = toId<UserId>("");
      await inProviderLogin(async (call) => {
        const profile = humanProfile({ username: `user-${ground.nextNumber()}`, email: newAddress() });
        userId = (await ground.fixture.commands.addHuman(call, profile)).id;
        return {};
      });
      await gain(userId, ground.scopes[label]);
      const asked = { userId, medium: { kind: "send-link", urlTemplate: "" } } as const;
      seen[label] = await outcomeOf(
        ground.fixture.commands.passwords.requestReset(ground.fixture.call(), asked),
      );
    }
    const refused = "CODE_NOT_PENDING";
    expect(seen).toEqual({ instance: refused, "own organization": "ok", "other organization": refused });
  });
});

describe("of roles on other organizations that an earlier version let users gain, an update", () => {
  const limitAgain = async () => {
    await ground.fixture.context.database.write((tx) =>
      tx.run("DELETE FROM settings WHERE name = 'provider-logins'", []),
    );
    await limitProviderLogins(ground.fixture.context);
  };
  const addUser = async () => {
    const profile = humanProfile({ username: `user-${ground.nextNumber()}`, email: newAddress() });
    return (await ground.fixture.commands.addHuman(ground.fixture.call(), profile)).id;
  };
  const countEvents = () => ground.fixture.read((tx) => tx.get("SELECT COUNT(*) AS total FROM events", []));

  test.each([
    ["a login at a provider", false],
    ["a login at a provider with a factor of ours", false],
    ["an address that was set in a login at a provider", false],
    ["a token that was made with one of a login at a provider", false],
    ["a reset by a mail to an address that a provider vouches for", false],
    ["a login with the user's own password", true],
    ["an administrator of the user's organization", true], // that was checked before
  ] as const)("looks at what came of %s: carried %p", async (name, isCarried) => {
    for (const label of elsewhere) {
      const userId = await addUser();
      const made = await origins[name]?.make(userId);
      if (made === undefined) throw new Error("there is no such origin");
      await give(userId, ground.scopes[label], roleOf[ground.scopes[label].kind]);
      const before = await carriedBy({ ...made, hasAddress: false }, userId);
      expect(Object.values(before)).not.toContain(false);
      await limitAgain();
      const after = await carriedBy(made, userId);
      expect(after).toEqual(Object.fromEntries(Object.keys(after).map((key) => [key, isCarried])));
      const events = await countEvents();
      await limitProviderLogins(ground.fixture.context); // it is done once
      expect(await countEvents()).toEqual(events);
    }
  });

  test("asks about what was set in a login at a provider, and leaves roles inside alone", async () => {
    const [outside, within] = [await addUser(), await addUser()];
    const tokens: TokenId[] = [];
    for (const userId of [outside, within]) {
      const call = loginOf(userId, ["IDP"]);
      tokens.push(await addToken(call, userId));
      const { secret } = await ground.fixture.commands.totp.register(call, userId);
      const code = new Secret(makeApp(secret.reveal()).code(ground.fixture.clock.nowMs()));
      await ground.fixture.commands.totp.verify(call, { userId, code });
    }
    await give(outside, ground.scopes["its project"], "PROJECT_OWNER");
    await give(within, ground.scopes["own project"], "PROJECT_OWNER");
    await limitAgain();
    const questioned = async (userId: UserId) =>
      (await ground.fixture.read((tx) => listQuestionedWays(tx, userId))).map(({ kind }) => kind);
    expect([await questioned(outside), await questioned(within)]).toEqual([["TOTP"], []]);
    const [ofOutside, ofWithin] = tokens;
    expect(await carriedBy({ ...(ofOutside && { tokenId: ofOutside }) }, outside)).toEqual({ token: false });
    expect(await carriedBy({ ...(ofWithin && { tokenId: ofWithin }) }, within)).toEqual({ token: true });
  });
});

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { CallerLogin } from "../../../../src/kernel/base/call.ts";
import {
  type IdentityProviderId,
  type OrganizationId,
  type SessionId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import { addIdentityProvider } from "../../../../src/identity/providers/identity-provider.ts";
import { getIdentityProvider } from "../../../../src/identity/providers/repository.ts";
import { addOrganization } from "../../../../src/identity/organizations/organization.ts";
import { linkIdentity } from "../../../../src/identity/people/identity-links/commands.ts";
import { identityProviderSettings, jwtConfig } from "../../../support/samples.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

let fixture: Fixture;
let userId: UserId;
let providerId: IdentityProviderId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
  providerId = await addProvider();
});
afterEach(() => fixture.close());

async function addProvider(organizationId = fixture.organizationId): Promise<IdentityProviderId> {
  const { context } = fixture;
  const id = context.ids.next<IdentityProviderId>();
  const settings = identityProviderSettings({ name: `Provider ${id}` });
  await fixture.record(addIdentityProvider({ id, organizationId, settings, config: jwtConfig() }));
  return id;
}

/** Records what happens to the provider. */
async function record(type: "identity_provider.deactivated" | "identity_provider.removed", id = providerId) {
  await fixture.record({ type, aggregateId: id, resourceOwner: fixture.organizationId, payload: {} });
}

async function changeIssuer(issuer: string) {
  const payload = {
    jwt_endpoint: "https://idp.example.com/jwt",
    keys_endpoint: "https://idp.example.com/keys",
    header_name: "",
    issuer,
  };
  const about = { aggregateId: providerId, resourceOwner: fixture.organizationId };
  await fixture.record({ ...about, type: "identity_provider.jwt.changed", payload });
}

const add = (input: { userId?: UserId; providerId?: string; externalUserId?: string } = {}) =>
  fixture.commands.links.add(fixture.call(), {
    userId,
    providerId,
    externalUserId: "subject",
    externalUsername: "ada@company",
    ...input,
  });
const list = async (of = userId) => {
  const page = { pageSize: 0, pageToken: "", countTotal: false };
  const listed = await fixture.commands.links.list(fixture.call(), of, page);
  return listed.page.items;
};
const rows = () => fixture.read((tx) => tx.all("SELECT * FROM idp_links ORDER BY id"));

/** A call of the user after a login, with one factor. */
function selfAfter(minutes: number) {
  const authTimeMs = fixture.clock.nowMs() - minutes * 60_000;
  const login: CallerLogin = {
    sessionId: toId<SessionId>("9"),
    authTimeMs,
    methods: ["PASSWORD"],
    isMultiFactor: false,
  };
  return fixture.call({ userId, tokenId: undefined, login });
}

describe("a link", () => {
  test("is listed with the name of its provider, and removed by it and what the provider calls the identity", async () => {
    const details = await add();
    expect(await list()).toMatchObject([
      {
        providerId,
        providerName: `Provider ${providerId}`,
        externalUserId: "subject",
        externalUsername: "ada@company",
        details,
      },
    ]);
    const { links } = fixture.commands;
    const asked = { userId, providerId, externalUserId: "subject" };
    const other = await fixture.addHuman("other");
    for (const wrong of [{ userId: other }, { providerId: "1" }, { externalUserId: "Subject" }])
      expect(await outcomeOf(links.remove(fixture.call(), { ...asked, ...wrong }))).toBe("NOT_FOUND");
    await links.remove(fixture.call(), asked);
    expect(await list()).toEqual([]);
    expect(await outcomeOf(links.remove(fixture.call(), asked))).toBe("NOT_FOUND");
  });

  test("is of one user only, and one at each provider", async () => {
    await add();
    const other = await fixture.addHuman("other");
    expect(await outcomeOf(add())).toBe("ALREADY_EXISTS");
    expect(await outcomeOf(add({ userId: other }))).toBe("ALREADY_EXISTS");
    expect(await outcomeOf(add({ userId: other, externalUserId: "SUBJECT" }))).toBe("ok");
    expect(await outcomeOf(add({ providerId: await addProvider() }))).toBe("ok");
  });

  test("is made to an ACTIVE provider of the user's organization, for people, and never for oneself", async () => {
    const { administrator, call, commands } = fixture;
    const other = fixture.context.ids.next<OrganizationId>();
    await fixture.record(addOrganization(other, "Other"));
    const foreign = await addProvider(other);
    expect(await outcomeOf(add({ providerId: foreign }))).toBe("NOT_FOUND");
    expect(await outcomeOf(add({ providerId: "1" }))).toBe("NOT_FOUND");
    expect(await outcomeOf(add({ userId: administrator.userId }))).toBe("SELF_VERIFICATION_FORBIDDEN");
    const service = await commands.addService(call(), {
      username: "program",
      name: "Program",
      description: "",
      accessTokenType: "BEARER",
      signingAlgorithm: "RS256",
      trustMail: false,
    });
    expect(await outcomeOf(add({ userId: service.id }))).toBe("WRONG_KIND");
    await record("identity_provider.deactivated");
    expect(await outcomeOf(add())).toBe("IDP_NOT_ACTIVE");
    expect(await rows()).toEqual([]);
  });

  test("in a login, too, is made to a provider of the user's organization only", async () => {
    const { context, organizationId } = fixture;
    const identity = { externalUserId: "subject", externalUsername: "" };
    const linkAs = (resourceOwner: string) =>
      context.database.write(async (tx) => {
        const provider = await getIdentityProvider(tx, organizationId, providerId);
        const details = { sequence: 0, creationDate: 0, resourceOwner };
        return await linkIdentity(tx, { user: { id: userId, details }, provider, identity });
      });
    expect(await outcomeOf(linkAs(context.ids.next()))).toBe("NOT_FOUND");
    expect(await outcomeOf(linkAs(organizationId))).toBe("ok");
  });

  test("from before the provider had its issuer gives way to a new one, whoever has it", async () => {
    await add();
    const other = await fixture.addHuman("other");
    await changeIssuer("https://new.example");
    await add({ userId: other });
    expect([await list(), (await list(other)).map(({ issuer }) => issuer)]).toEqual([
      [],
      ["https://new.example"],
    ]);
  });

  test("may be removed by the user for ten minutes after a login", async () => {
    await add();
    const { links } = fixture.commands;
    const asked = { userId, providerId, externalUserId: "subject" };
    const token = await fixture.addSystemToken(userId);
    const byToken = fixture.call({ userId, tokenId: token });
    for (const call of [byToken, selfAfter(10)])
      expect(await outcomeOf(links.remove(call, asked))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await outcomeOf(links.remove(selfAfter(9), asked))).toBe("ok");
  });

  test("is one of at most a hundred of a user", async () => {
    for (let count = 0; count < 100; count += 1) await add({ externalUserId: `subject ${count}` });
    expect(await outcomeOf(add())).toBe("LIMIT_REACHED");
  });
});

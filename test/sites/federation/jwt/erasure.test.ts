// What a login at an identity provider leaves of a user goes with them (rule 42 of the login contract).
import { afterAll, describe, expect, test } from "@jest/globals";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { createSearch, spellingsOf } from "../../../support/canary-search.ts";
import { startJwtStage } from "./support/jwt-stage.ts";

const stage = await startJwtStage();
afterAll(() => stage.stop());

/** Lists the tables that mention one of these ids, but the log, which keeps that there was somebody. */
async function findMentions(ids: readonly unknown[]): Promise<readonly string[]> {
  const { events: _log, ...dump } = await stage.service.place.raw.dump();
  return Object.entries(dump)
    .filter(([, rows]) => rows.some((row) => Object.values(row).some((cell) => ids.includes(cell))))
    .map(([table]) => table)
    .toSorted();
}

/** Lists the ids of the user, and of their sessions and links. */
async function idsOf(userId: string): Promise<readonly unknown[]> {
  const { sessions = [], idp_links: links = [] } = await stage.service.place.raw.dump();
  const own = [...sessions, ...links].filter((row) => row["user_id"] === userId);
  return [userId, ...own.map((row) => row["id"])];
}

/** Lists the values of which something is stored, in whatever spelling. */
async function findStored(values: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const names = Object.keys(values);
  const search = createSearch(Object.values(values).map((value) => spellingsOf(Buffer.from(value))));
  const bytes = await stage.service.place.bytes();
  return [...search.findIn(bytes)].map((index) => names[index] ?? "").toSorted();
}

/** Somebody gets an account by their identity, logs in with it, and comes back once more without taking the last step. */
async function liveOn(subject: string) {
  const providerId = await stage.addProvider({}, { autoRegister: true });
  const claims = {
    given_name: `${subject}-given`,
    family_name: `${subject}-family`,
    preferred_username: `${subject}-username`,
    email: `${subject}@zq9.example`,
    email_verified: true,
  };
  const cookie = stage.gateway.logIn(subject, claims);
  const browser = stage.browser();
  const page = await stage.comeBack(browser, await stage.begin(browser, providerId), cookie);
  const userId = String((await stage.redeem(page)).sub);
  await stage.handleUrl(await stage.begin(stage.browser(), providerId), cookie);
  const { email_verified: _same, ...personal } = claims;
  return { userId, values: { ...personal, subject } };
}

describe.each([
  ["user", (userId: string) => stage.service.call(UserService.method.removeUser, { userId })],
  [
    "organization",
    () =>
      stage.service.call(OrganizationService.method.removeOrganization, { id: stage.place.organizationId }),
  ],
] as const)("removing the %s", (what, remove) => {
  test("leaves nothing of an account that an identity provider has brought", async () => {
    const { userId, values } = await liveOn(`zq9-subject-of-${what}`);
    expect(await findStored(values)).toEqual(Object.keys(values).toSorted());
    const ids = await idsOf(userId);
    expect(await findMentions(ids)).toEqual(
      expect.arrayContaining(["idp_links", "jwt_logins", "session_links", "sessions", "stored_users"]),
    );
    await remove(userId);
    const expectGone = async () => {
      expect(await findMentions(ids)).toEqual([]);
      expect(await findStored(values)).toEqual([]);
    };
    await expectGone();
    const { database, log } = stage.service.context;
    await database.write((tx) => log.rebuild(tx)); // must bring nothing back
    await expectGone();
  });
});

import { beforeAll, describe, expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { eventDefinitions } from "../../src/kernel/events/catalogue.ts";
import { ExternalClientKind } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../gen/gatehouse/v1/key_pb.ts";
import { SigningKeyUse } from "../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { CallableService } from "../support/service.ts";
import { createCaller, idOf, publicKeySample } from "../support/world.ts";
import { createAllKinds } from "./support/all-kinds.ts";
import { liveClaims, liveMetadata } from "./support/metadata-life.ts";
import { liveGroups } from "./support/group-life.ts";
import { liveLogins } from "./support/login-life.ts";
import { liveProviderLogin } from "./support/provider-life.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { liveWaysToLogIn } from "./support/ways-life.ts";
import { liveHooks } from "./support/hook-life.ts";
import { liveTargets } from "./support/target-life.ts";
import { dump, projectionsOf, type Row } from "./support/tables.ts";

const createPlace = usePlaces();
const users = UserService.method;

/**
 * Events that need a metadata server, a provider that fails, time, a copied key, a login, or somebody else who has set up how to log in; the tests of their
 * features have them.
 */
const notMadeHere = [
  "application.claim.left_out", // only a token that is too small adds it
  "application.external.added", // as is the next one: only clients add it
  "application.external.changed",
  "application.logout_token.dropped",
  "application.metadata.failed",
  "application.metadata.fetched",
  "authorization.unconfirmed",
  "hook.refused",
  "instance.exported", // only a command adds it
  "membership.limited",
  "project.claim.left_out",
  "signing_key.activated",
  "signing_key.retired",
  "target.gone",
  "user.code_factor.added", // as are the next two: only the pages add them
  "user.code_factor.check.failed",
  "user.code_factor.removed",
  "user.email.delivery.failed",
  "user.email.unverified",
  "user.idp_link.kept",
  "user.idp_link.questioned",
  "user.invitation.ended",
  "user.invitation.sent",
  "user.passkey.backup.changed",
  "user.passkey.counter.regressed",
  "user.passkey.kept",
  "user.passkey.questioned",
  "user.phone.delivery.failed",
  "user.recovery_codes.kept",
  "user.recovery_codes.questioned",
  "user.recovery_codes.used",
  "user.totp.check.failed",
  "user.totp.kept",
  "user.totp.questioned",
  "user.u2f.counter.regressed",
  "user.u2f.kept",
  "user.u2f.questioned",
];

describe("gatehouse rebuild", () => {
  let place: Place;
  let userId: string;
  const database = () => place.file("gatehouse.db");
  const change = (sql: string, ...parameters: string[]) => {
    const connection = new Sqlite(database());
    connection.pragma("foreign_keys = OFF");
    const { changes } = connection.prepare(sql).run(...parameters);
    connection.close();
    expect(changes).toBeGreaterThan(0);
  };
  const rebuild = async () => {
    const count = dump(database(), ["events"])["events"]?.length;
    expect(await place.run(["rebuild"])).toEqual({
      code: 0,
      stdout: `${count} events applied\n`,
      stderr: "",
    });
  };

  beforeAll(async () => {
    place = createPlace();
    const serving = await place.serve(["--dev"]);
    const service = place.connect(serving);
    const world = await createAllKinds(service);
    ({ userId } = world);
    await liveWaysToLogIn(service, world);
    await createSignIns(service);
    await liveProviderLogin(service); // before the policy of the instance changes
    await liveLogins(service);
    const inside = createCaller(service, world.organizationId);
    const groupId = await liveGroups(inside, world);
    await liveMetadata(service, { ...world, groupId });
    await liveClaims(service, world);
    await liveTargets(service, world.organizationId);
    await liveHooks(service, world);
    const moved = {
      givenName: "Grace",
      familyName: "Hopper",
      email: "grace@example.com",
      importedId: "old-7",
    };
    await inside(UserService.method.addHumanUser, { username: "grace", ...moved });
    const settings = { kinds: [ExternalClientKind.REGISTRATION], projectId: world.projectId };
    await service.call(ApplicationService.method.updateExternalClientSettings, settings);
    expect(await serving.stop()).toBe(0);
  });

  test("makes the same tables from events of every type", async () => {
    const before = dump(database());
    const types = new Set(before["events"]?.map((row) => row["type"]));
    const missing = Object.keys(eventDefinitions).filter((type) => !types.has(type));
    expect(missing.toSorted()).toEqual(notMadeHere);
    const tables = Object.entries(projectionsOf(before));
    expect(tables.filter(([, rows]) => rows.length === 0)).toEqual([]);
    await rebuild();
    expect(dump(database())).toEqual(before);
  });

  test("mends tables that were damaged", async () => {
    const before = dump(database());
    change("UPDATE stored_projects SET name = 'broken', folded_name = id");
    change("DELETE FROM stored_user_grants");
    change("UPDATE stored_users SET state = 'LOCKED' WHERE id = ?", userId);
    await rebuild();
    expect(dump(database())).toEqual(before);
  });

  test("is refused while the service runs, and changes nothing", async () => {
    const serving = await place.serve();
    expect(await place.run(["rebuild"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: another process is using the data folder ${place.path}; stop it first\n`,
    });
    const me = await place.connect(serving).call(UserService.method.getMyUser, {});
    expect(me).toMatchObject({ user: { username: "admin" } });
    expect(await serving.stop()).toBe(0);
  });

  test("is refused where there is no database, and makes none", async () => {
    const empty = createPlace();
    expect(await empty.run(["rebuild"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `gatehouse: there is no ${empty.file("gatehouse.db")}\n`,
    });
  });

  test("makes tables without what a destroyed key hid, and the same again", async () => {
    const before = dump(database());
    change("DELETE FROM secrets WHERE id = ?", `user-key:${userId}`);
    await rebuild();
    const after = dump(database());
    const [forgotten] = rowsOf(after["stored_users"], "id", userId);
    expect(forgotten).toMatchObject({
      username: null,
      folded_username: null,
      given_name: null,
      family_name: null,
      email: null,
      phone: null,
      state: "ACTIVE",
      is_phone_verified: 0,
    });
    expect(rowsOf(after["user_words"], "id", userId).map(({ word }) => word)).toEqual([]);
    const factors = rowsOf(after["second_factors"], "user_id", userId);
    expect(factors.map((row) => `${String(row["state"])} ${String(row["name"])}`).toSorted()).toEqual([
      "NOT_READY null",
      "NOT_READY null",
      "READY null",
    ]);
    expect(rowsOf(after["passkeys"], "user_id", userId)).toEqual([expect.objectContaining({ name: null })]);
    expect({
      ...after,
      stored_users: without(after["stored_users"], "id", userId),
      second_factors: without(after["second_factors"], "user_id", userId),
      passkeys: without(after["passkeys"], "user_id", userId),
      user_words: without(after["user_words"], "id", userId),
      metadata: without(after["metadata"], "object_id", userId),
    }).toEqual({
      ...before,
      stored_users: without(before["stored_users"], "id", userId),
      second_factors: without(before["second_factors"], "user_id", userId),
      passkeys: without(before["passkeys"], "user_id", userId),
      user_words: without(before["user_words"], "id", userId),
      metadata: without(before["metadata"], "object_id", userId),
      idp_links: without(before["idp_links"], "user_id", userId), // an identity that nobody can name any more
      secrets: without(before["secrets"], "id", `user-key:${userId}`),
    });

    await rebuild();
    expect(dump(database())).toEqual(after);
    const serving = await place.serve();
    const answer = await place.connect(serving).call(UserService.method.getUser, { userId });
    expect(answer).toMatchObject({ user: { id: userId, username: "", human: { givenName: "", email: "" } } });
    expect(await serving.stop()).toBe(0);
  });
});

function rowsOf(rows: readonly Row[] = [], column: string, value: string): readonly Row[] {
  return rows.filter((row) => row[column] === value);
}

function without(rows: readonly Row[] = [], column: string, value: string): readonly Row[] {
  return rows.filter((row) => row[column] !== value);
}

/** Makes what programs sign in with, and what signs their tokens. */
async function createSignIns({ call }: CallableService): Promise<void> {
  const added = await call(users.addServiceUser, { username: "machine", name: "Machine" });
  const machine = { userId: idOf(added, "userId") };
  const key = { ...machine, type: KeyType.JSON, publicKey: publicKeySample };
  const keyId = idOf(await call(users.addServiceUserKey, key), "keyId");
  await call(users.removeServiceUserKey, { ...machine, keyId });
  await call(users.addServiceUserKey, key);
  await call(users.generateServiceUserSecret, machine);
  await call(users.removeServiceUserSecret, machine);
  await call(users.generateServiceUserSecret, machine);
  await call(SigningKeyService.method.rotateSigningKeys, {});
  await call(SigningKeyService.method.rotateSigningKeys, { revokeOld: true });
  await call(SigningKeyService.method.rotateSigningKeys, { use: SigningKeyUse.SAML });
}

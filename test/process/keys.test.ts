import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { createKeyring, decryptWith, parseMasterKeys } from "../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../src/kernel/base/random.ts";
import type { SecretColumns } from "../../src/kernel/events/checksum.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { answerOf } from "../support/service.ts";
import { type CreationOptions, registerInSoftware } from "../support/software-authenticator.ts";
import { createCaller, createProject, createWorld, idOf, type World } from "../support/world.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { openSamlNames, putSamlNames } from "./support/saml-names.ts";
import { sized } from "../support/size.ts";

const createPlace = usePlaces();

/** Key file, check value, ciphertexts, two portions of names in SAML sessions; and how many names are under the new key then. */
const steps = [
  [1, 0],
  [2, 0],
  [3, 0],
  [4, 500],
  [5, 501],
] as const;
const names = 501;

interface Before {
  readonly world: World;
  readonly events: readonly JsonObject[];
  /** A page token of the list of projects. */
  readonly pageToken: string;
  readonly u2fId: string;
  readonly credential: JsonObject;
}

let template: Place;
let before: Before;

beforeAll(async () => {
  template = createPlace();
  const serving = await template.serve();
  before = await prepare(template.connect(serving));
  expect(await serving.stop()).toBe(0);
  await putSamlNames({ data: template.path }, names);
});

/** Makes something of everything that rests on a master key. */
async function prepare(service: ConnectedService): Promise<Before> {
  const world = await createWorld(service);
  await createProject(service, world.organizationId);
  const inside = createCaller(service, world.organizationId);
  await inside(IdentityProviderService.method.addOidcIdentityProvider, {
    name: "OIDC",
    clientId: "client",
    clientSecret: "a secret of the client",
    issuer: "https://idp.example.com",
  });
  const page = await inside(ProjectService.method.listProjects, { pageSize: 1 });
  const keyed = { token: service.adminToken, headers: { "idempotency-key": "once" } };
  answerOf(await service.clients.json.call(ProjectService.method.addProject, { name: "Keyed" }, keyed));
  const registered = await service.call(UserService.method.registerU2f, { userId: world.userId });
  const options = registered["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  return {
    world,
    events: await listEvents(service),
    pageToken: idOf(page, "nextPageToken"),
    u2fId: idOf(registered, "u2fId"),
    credential: registerInSoftware(options) as unknown as JsonObject,
  };
}

async function listEvents(service: ConnectedService): Promise<readonly JsonObject[]> {
  const answer = await service.call(EventService.method.listEvents, { pageSize: 1000 });
  return answer["events"] as readonly JsonObject[];
}

function createUsedPlace(): Place {
  const place = createPlace();
  cpSync(template.path, place.path, { recursive: true });
  return place;
}

/** Starts a service on the place and uses everything that was made before the rotation. */
async function expectUsable(place: Place): Promise<void> {
  const doctor = await place.run(["doctor"]);
  expect(doctor).toMatchObject({ code: 0, stderr: "" });
  const serving = await place.serve();
  const service = place.connect(serving);
  const { world, events, pageToken, u2fId, credential } = before;
  expect(await listEvents(service)).toEqual(events);
  const inside = createCaller(service, world.organizationId);
  await inside(ProjectService.method.listProjects, { pageSize: 1, pageToken });
  const { userId } = world;
  await service.call(UserService.method.verifyPhone, { userId, verificationCode: world.phoneCode });
  const verification = { userId, u2fId, publicKeyCredential: credential, tokenName: "Key" };
  await service.call(UserService.method.verifyU2f, verification);
  expect(await serving.stop()).toBe(0);
  expect((await namesIn(place)).filter(({ value }) => value !== undefined)).toHaveLength(names);
}

const namesIn = (place: Place) => openSamlNames({ data: place.path }, names);

/** Counts the names in SAML sessions that are encrypted with the newest key. */
async function namesUnderNewKey(place: Place): Promise<number> {
  const [newest] = linesOf(place).map(idOfLine);
  return (await namesIn(place)).filter(({ keyId }) => keyId === newest).length;
}

/** Puts the keys of users under the master key, as an earlier version had them. */
function toEarlierVersion(place: Place): void {
  const keyring = createKeyring(
    parseMasterKeys(readFileSync(place.file("master.key"), "utf8")),
    systemRandom,
  );
  const database = new Sqlite(place.file("gatehouse.db"));
  const list = database.prepare<[string], SecretColumns>(
    "SELECT id, key_id, value FROM secrets WHERE id LIKE ?",
  );
  const organizationKeys = new Map(
    list.all("organization-key:%").map(({ id, key_id: keyId, value }) => {
      const [, organizationId = ""] = id.split(":");
      return [
        `organization:${organizationId}`,
        keyring.decrypt("organization-key", { keyId, value }, organizationId),
      ];
    }),
  );
  const put = database.prepare("UPDATE secrets SET key_id = ?, value = ?, checksum = NULL WHERE id = ?");
  for (const { id, key_id: keyId, value } of list.all("user-key:%")) {
    const [, context = ""] = id.split(":");
    const key = decryptWith({ key: organizationKeys.get(keyId) ?? new Uint8Array(), value, context });
    const sealed = keyring.encrypt("user-key", key, context);
    put.run(sealed.keyId, sealed.value, id);
  }
  database.exec(
    "DELETE FROM secrets WHERE id LIKE 'organization-key:%'; DELETE FROM settings WHERE name = 'user-keys'",
  );
  database.close();
}

function secretsByKey(place: Place): Readonly<Record<string, readonly string[]>> {
  const database = new Sqlite(place.file("gatehouse.db"), { readonly: true });
  const rows = database
    .prepare<[], { id: string; key_id: string }>(
      "SELECT id, key_id FROM secrets WHERE key_id <> '' ORDER BY id",
    )
    .all();
  database.close();
  const kinds: Record<string, string[]> = {};
  for (const { id, key_id: keyId } of rows) (kinds[keyId] ??= []).push(id.slice(0, id.indexOf(":")));
  return Object.fromEntries(Object.entries(kinds).map(([keyId, ids]) => [keyId, [...new Set(ids)]]));
}

const linesOf = (place: Place) => readFileSync(place.file("master.key"), "utf8").trimEnd().split("\n");
const idOfLine = (line = "") => line.slice(0, line.indexOf(" "));

test("keys of users that an earlier version had under the master key come under those of organizations at the start", async () => {
  const place = createUsedPlace();
  const [keyId = ""] = linesOf(place).map(idOfLine);
  const now = secretsByKey(place);
  toEarlierVersion(place);
  expect(secretsByKey(place)).toEqual({
    [keyId]: ["client-secret", "phone-code", "u2f-challenge", "user-key"],
  });
  await expectUsable(place);
  const kinds = (secrets: typeof now) =>
    Object.fromEntries(
      Object.entries(secrets).map(([id, of]) => [id, of.filter((kind) => kind.endsWith("-key"))]),
    );
  expect(kinds(secretsByKey(place))).toEqual(kinds(now));
});

describe("gatehouse keys rotate", () => {
  test("encrypts everything under a new key, keeps the old one for what is hashed with it, and all of it works", async () => {
    const place = createUsedPlace();
    const [old = ""] = linesOf(place);
    const rotated = await place.run(["keys", "rotate"]);
    expect(rotated).toMatchObject({ code: 0, stderr: "" });
    const lines = linesOf(place);
    expect(lines).toEqual([expect.stringMatching(/^[0-9a-f]{8} [A-Za-z0-9+/]{43}=$/), old]);
    expect(statSync(place.file("master.key")).mode & 0o777).toBe(0o600);
    expect(secretsByKey(place)).toMatchObject({
      [idOfLine(lines[0])]: ["client-secret", "organization-key", "u2f-challenge"],
      [idOfLine(old)]: ["phone-code"],
    });
    expect(rotated.stdout).toMatch(
      new RegExp(`^new key ${idOfLine(lines[0])}: \\d+ values are now encrypted`),
    );
    expect(rotated.stdout).toContain(
      `old key ${idOfLine(old)}: 2 hashes of codes and of calls with an idempotency key`,
    );
    expect(rotated.stdout).not.toContain(old.slice(old.indexOf(" ") + 1));
    expect(await namesUnderNewKey(place)).toBe(names);
    await expectUsable(place);
  });

  test("can be done again and again, and a backup is whole afterwards", async () => {
    const place = createUsedPlace();
    for (let round = 0; round < 2; round += 1)
      expect(await place.run(["keys", "rotate"])).toMatchObject({ code: 0, stderr: "" });
    const keyIds = linesOf(place).map(idOfLine);
    expect(new Set(keyIds).size).toBe(3);
    const masterKeys = Object.keys(secretsByKey(place)).filter((id) => !id.startsWith("organization:"));
    expect(masterKeys.toSorted()).toEqual([keyIds[0], keyIds[2]].map(String).toSorted());
    const copy = createPlace();
    cpSync(place.path, copy.path, { recursive: true });
    expect(await place.run(["backup", `${copy.path}/restored.db`])).toMatchObject({ code: 0 });
    cpSync(copy.file("restored.db"), copy.file("gatehouse.db"));
    await expectUsable(copy);
  });

  test("is refused while a service runs, and changes nothing", async () => {
    const place = createUsedPlace();
    const serving = await place.serve();
    const lines = linesOf(place);
    const { code, stderr } = await place.run(["keys", "rotate"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `gatehouse: another process is using the data folder ${place.path}; stop it first\n`,
    });
    expect(linesOf(place)).toEqual(lines);
    expect(await serving.stop()).toBe(0);
  });

  test("is refused when something cannot be opened, and changes nothing", async () => {
    const place = createUsedPlace();
    const lines = linesOf(place);
    const database = new Sqlite(place.file("gatehouse.db"));
    database.exec("UPDATE secrets SET value = zeroblob(60) WHERE id LIKE 'client-secret:%'");
    database.close();
    const { code, stderr } = await place.run(["keys", "rotate"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gatehouse: the secret client-secret:\d+ cannot be opened; run gatehouse doctor/);
    expect(linesOf(place)).toEqual(lines);
  });

  // Before anything is sealed anew, in the middle of it, and after it.
  test.each(steps.slice(sized({ small: 3, full: 0 })))(
    "killed after step %d, it leaves a service that starts and reads everything",
    async (step, sealedAnew) => {
      const place = createUsedPlace();
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, "support/rotate-and-die.ts"), place.path, String(step)],
        { stdio: ["ignore", "ignore", "inherit"] },
      );
      expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
      expect(linesOf(place)).toHaveLength(2);
      await expectUsable(place);
      expect(await namesUnderNewKey(place)).toBe(sealedAnew);
      expect(await place.run(["keys", "rotate"])).toMatchObject({ code: 0, stderr: "" });
      const keyIds = linesOf(place).map(idOfLine);
      expect(secretsByKey(place)[keyIds[0] ?? ""]).toContain("organization-key");
      expect(await namesUnderNewKey(place)).toBe(names);
    },
  );
});

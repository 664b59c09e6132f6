import { beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { existsSync, readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { foldName } from "../../src/kernel/base/names/folding.ts";
import { toWords } from "../../src/kernel/base/names/words.ts";
import { createSearch, spellingsOf } from "../support/canary-search.ts";
import { answerOf } from "../support/service.ts";
import { type CreationOptions, registerInSoftware } from "../support/software-authenticator.ts";
import { createHumanUser, createServiceUser, createWorld, idOf } from "../support/world.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { dump, type Row } from "./support/tables.ts";

const createPlace = usePlaces();
const { method } = UserService;

const first = {
  username: "Zq7Username-before",
  givenName: "Zq7Given-before",
  familyName: "Zq7Family-before",
  displayName: "Zq7Display-before",
  preferredLanguage: "de-x-zq7befor",
  email: "Zq7Email-before@example.com",
};
const second = {
  username: "Zq7Username-after",
  givenName: "Zq7Given-after",
  familyName: "Zq7Family-after",
  displayName: "Zq7Display-after",
  preferredLanguage: "de-x-zq7after",
  email: "Zq7Email-after@example.com",
};
const phones = ["+41765550177", "+41765550188"];
const factorName = "Zq7Factor name";
const address = "198.51.100.177";

const named: readonly string[] = [
  ...Object.values(first),
  ...Object.values(second),
  ...phones,
  factorName,
  address,
];

const storedFiles = ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "gatehouse.lock"];

/** Returns which of the values lie in the files, in whatever spelling: as they are and as they are compared. */
function findIn(place: Place, values: readonly Uint8Array[]): readonly string[] {
  const search = createSearch(
    values.map((value) => {
      const text = Buffer.from(value).toString("utf8");
      const words = toWords(text).filter((word) => /^[zo]q7/.test(word));
      return [text, foldName(text), text.toLowerCase(), ...words]
        .flatMap((each) => spellingsOf(Buffer.from(each)))
        .concat(spellingsOf(value));
    }),
  );
  const found = storedFiles
    .map((name) => place.file(name))
    .filter((file) => existsSync(file))
    .flatMap((file) => Array.from(search.findIn(readFileSync(file))));
  return [...new Set(found)].map((index) => Buffer.from(values[index] ?? []).toString("latin1")).toSorted();
}

const bytesOf = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

describe("removing a user", () => {
  let place: Place;
  let userId: string;
  /** Their wrapped key, and the hashes of their tokens. */
  let secrets: readonly Uint8Array[];
  /** What of them was found in the files at which moment. */
  const found: Record<string, readonly string[]> = {};

  const look = (moment: string) => {
    found[moment] = [...findIn(place, bytesOf(named)), ...findIn(place, secrets)];
  };
  const query = <R>(sql: string, ...parameters: string[]): readonly R[] => {
    const connection = new Sqlite(place.file("gatehouse.db"), { readonly: true });
    try {
      return connection.prepare<string[], R>(sql).all(...parameters);
    } finally {
      connection.close();
    }
  };

  beforeAll(async () => {
    place = createPlace();
    const serving = await place.serve(["--dev", "--trusted-proxies", "127.0.0.1"]);
    const service = place.connect(serving);
    const { organizationId } = await createWorld(service);
    userId = idOf(await service.call(method.addHumanUser, { ...first, phone: phones[0] ?? "" }), "userId");
    await liveOn(service, userId);
    // Neighbours, so that rows are moved from page to page.
    for (let index = 0; index < 40; index++) await createHumanUser(service, organizationId);
    secrets = query<{ value: Uint8Array }>(
      "SELECT value FROM secrets WHERE id = ? OR id IN (SELECT 'token:' || id FROM credentials WHERE user_id = ?)",
      `user-key:${userId}`,
      userId,
    ).map(({ value }) => value);
    look("before");
    await service.call(method.removeUser, { userId });
    look("when it is answered");
    for (let index = 0; index < 20; index++) await createServiceUser(service, organizationId);
    look("when work goes on");
    expect(await serving.stop()).toBe(0);
    look("when the service has ended");
  });

  test("is judged by a search that finds what lay there in clear before", () => {
    expect(secrets).toHaveLength(3);
    // The address is sealed, and what was replaced may be gone already.
    const shown = [...Object.values(second), phones[1], factorName];
    expect(shown.filter((value) => !found["before"]?.includes(value ?? ""))).toEqual([]);
    expect(found["before"]?.length).toBeGreaterThanOrEqual(shown.length + secrets.length);
  });

  test.each(["when it is answered", "when work goes on", "when the service has ended"])(
    "leaves nothing of them in the files %s: no name, no number, no address, no key",
    (moment) => {
      expect(found[moment]).toEqual([]);
    },
  );

  test("keeps every event of them, sealed for good, and makes the same tables again", async () => {
    const all = dump(place.file("gatehouse.db"));
    const events = rowsOf(all["events"], userId);
    expect(events.map((row) => row["type"])).toEqual([
      "user.added",
      "user.token.added",
      "user.token.added",
      "user.phone.set",
      "user.u2f.added",
      "user.u2f.verified",
      "user.changed",
      "user.removed",
    ]);
    expect(events.map((row) => row["revision"])).toEqual(events.map((_row, index) => index + 1));
    const sealed = events.filter((row) => row["personal"] !== null).map((row) => row["type"]);
    expect(sealed).toEqual(["user.added", "user.phone.set", "user.u2f.verified", "user.changed"]);
    expect(events.filter((row) => row["editor"] === userId && row["remote_address"] === null)).toEqual([]);
    expect(rowsOf(all["secrets"], userId)).toEqual([]);

    expect((await place.run(["rebuild"])).code).toBe(0);
    expect(dump(place.file("gatehouse.db"))).toEqual(all);
    expect((await place.run(["doctor"])).stdout).not.toContain("FAILED");
  });

  test("lets nobody read them any more, and gives their username away", async () => {
    const again = await place.serve(["--dev"]);
    const connected = place.connect(again);
    const gone = await connected.clients.json.call(
      method.getUser,
      { userId },
      { token: connected.adminToken },
    );
    expect(gone).toMatchObject({ kind: "error", status: { code: 5 } });
    const added = await connected.call(method.addServiceUser, { username: second.username, name: "Other" });
    expect(idOf(added, "userId")).not.toBe(userId);
    expect(await again.stop()).toBe(0);
  });
});

/** Has the user do by themselves what leaves traces of them: with their address, a factor, another token, another phone. */
async function liveOn(service: ConnectedService, userId: string): Promise<void> {
  const made = await service.call(method.addPersonalAccessToken, { userId });
  const token = idOf(made, "token");
  const headers = { "x-forwarded-for": address };
  const call = async (rpc: DescMethodUnary, request: JsonObject): Promise<JsonObject> =>
    answerOf(await service.clients.json.call(rpc, request, { token, headers }));
  await call(method.addPersonalAccessToken, { userId });
  await call(method.setPhone, { userId, phone: phones[1] ?? "" });
  const u2f = await call(method.registerU2f, { userId });
  const options = u2f["publicKeyCredentialCreationOptions"] as unknown as CreationOptions; // as the contract has them
  await call(method.verifyU2f, {
    userId,
    u2fId: idOf(u2f, "u2fId"),
    publicKeyCredential: registerInSoftware(options) as unknown as JsonObject, // plain data
    tokenName: factorName,
  });
  await service.call(method.updateHumanUser, { userId, ...second });
}

/** Returns the rows that name the user as what they are about. */
function rowsOf(rows: readonly Row[] = [], userId: string): readonly Row[] {
  return rows
    .filter((row) => row["aggregate_id"] === userId || String(row["id"]).includes(userId))
    .toSorted((one, other) => Number(one["sequence"]) - Number(other["sequence"]));
}

test("removing an organization leaves nothing of its users in the files when it is answered", async () => {
  const place = createPlace();
  const service = place.connect(await place.serve(["--dev"]));
  const { organizationId } = await createWorld(service);
  const names = { givenName: "Oq7Given", familyName: "Oq7Family", email: "oq7@example.com" };
  const call = { token: service.adminToken, headers: { "x-service-orgid": organizationId } };
  const added = await service.clients.json.call(method.addHumanUser, { username: "oq7user", ...names }, call);
  expect(added.kind).toBe("answer");
  const values = bytesOf(["oq7user", ...Object.values(names)]);
  expect(findIn(place, values)).toHaveLength(values.length);
  await service.call(OrganizationService.method.removeOrganization, { id: organizationId });
  expect(findIn(place, values)).toEqual([]);
});

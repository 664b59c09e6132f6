import { beforeAll, describe, expect, test } from "@jest/globals";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { parseLog, type ServingProcess } from "../support/process.ts";
import { answerOf } from "../support/service.ts";
import { createCaller, idOf } from "../support/world.ts";
import { type Place, usePlaces, useServedPlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

const createPlace = usePlaces();
const createUsedPlace = useServedPlaces(createPlace);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const eventsOf = (log: string) => parseLog(log).map(({ msg }) => msg);
const files = [
  "gatehouse.db",
  "gatehouse.db-wal",
  "gatehouse.lock",
  "master.key",
  "admin.token",
  "admin.link",
];
const otherKey = `k2 ${Buffer.alloc(32, 7).toString("base64")}\n`;

describe("the first start", () => {
  let place: Place;
  let serving: ServingProcess;

  beforeAll(async () => {
    place = createPlace();
    serving = await place.serve();
  });

  test("says on stdout when it accepts calls, and where to sign up", async () => {
    expect(serving.stdout()).toMatch(
      /^gatehouse ready on http:\/\/127\.0\.0\.1:[1-9]\d*\nSign up as the first administrator: http:\S+\n$/,
    );
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
  });

  test("makes the data folder and everything in it for its owner only", () => {
    expect(modeOf(place.path)).toBe("700");
    for (const name of files) expect([name, modeOf(place.file(name))]).toEqual([name, "600"]);
  });

  test("makes a master key of 32 bytes", () => {
    const text = readFileSync(place.file("master.key"), "utf8");
    expect(text).toMatch(/^[A-Za-z0-9_-]+ [A-Za-z0-9+/]{43}=\n$/);
    expect(Buffer.from(text.split(" ")[1] ?? "", "base64")).toHaveLength(32);
  });

  test("writes a token that is the administrator's", async () => {
    expect(readFileSync(place.file("admin.token"), "utf8")).toMatch(/^gatehouse_pat_\d+_[\w-]{49}\n$/);
    const answer = await place.connect(serving).call(UserService.method.getMyUser, {});
    expect(answer).toMatchObject({ user: { username: "admin", service: { name: "Administrator" } } });
  });

  test("says on stderr, in lines of JSON, where the token is and what is open in local mode", () => {
    expect(parseLog(serving.stderr())).toMatchObject([
      { msg: "instance.created", admin_token_file: place.file("admin.token") },
      { msg: "local.sms_outbox", file: place.file("sms.jsonl") },
      { msg: "local.mail_outbox", file: place.file("mail.jsonl") },
      { msg: "local.u2f_on_localhost", rp_id: "localhost" },
      { msg: "local.metrics_open" },
      { msg: "local.issuer", issuer: `http://localhost:${new URL(serving.url).port}` },
      { msg: "setup.link_written", admin_link_file: place.file("admin.link") },
      { msg: "local.setup_link", url: readFileSync(place.file("admin.link"), "utf8").trimEnd() },
    ]);
    for (const { level, time } of parseLog(serving.stderr()))
      expect([level, time]).toEqual([30, expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)]);
  });

  test("says no secret", () => {
    const [keyId = "", key = ""] = readFileSync(place.file("master.key"), "utf8").trim().split(" ");
    for (const secret of [place.adminToken(), keyId, key]) expect(serving.stderr()).not.toContain(secret);
  });
});

describe("a first start in a folder that is there", () => {
  test("makes its files for the owner only, whoever may look into the folder", async () => {
    const place = createPlace();
    mkdirSync(place.path);
    chmodSync(place.path, 0o755); // whatever the umask
    writeFileSync(place.file("master.key.new"), "half of a key, of a start that was killed");
    await place.serve();
    expect(modeOf(place.path)).toBe("755");
    for (const name of files) expect([name, modeOf(place.file(name))]).toEqual([name, "600"]);
  });

  test("makes up for one that was killed before its commit", async () => {
    const place = createPlace();
    mkdirSync(place.path);
    writeFileSync(place.file("master.key"), otherKey, { mode: 0o600 });
    writeFileSync(place.file("gatehouse.db"), "");
    writeFileSync(place.file("admin.token"), "gatehouse_pat_1_never_good\n");
    const serving = await place.serve();
    expect(eventsOf(serving.stderr())).toContain("instance.created");
    expect(answerOf(await callAs(place, serving))).toMatchObject({ user: { username: "admin" } });
    expect(readFileSync(place.file("master.key"), "utf8")).toBe(otherKey);
  });
});

describe("a later start", () => {
  test("changes nothing", async () => {
    const place = await createUsedPlace();
    const texts = () => ["master.key", "admin.token"].map((name) => readFileSync(place.file(name), "utf8"));
    const before = { texts: texts(), tables: dump(place.file("gatehouse.db")) };
    const serving = await place.serve();
    expect(answerOf(await callAs(place, serving))).toMatchObject({ user: { username: "admin" } });
    await serving.stop();
    expect(eventsOf(serving.stderr())).not.toContain("instance.created");
    expect({ texts: texts(), tables: dump(place.file("gatehouse.db")) }).toEqual(before);
  });

  test("does not make a lost token again", async () => {
    const place = await createUsedPlace();
    rmSync(place.file("admin.token"));
    await (await place.serve()).stop();
    expect(() => place.adminToken()).toThrow("ENOENT");
  });
});

describe("a start is refused with a line that says why", () => {
  const refusalOf = async (place: Place) => {
    const finished = await place.run(["serve", "--listen", "127.0.0.1:0"]);
    return { ...finished, stderr: finished.stderr.replaceAll(place.path, "DATA") };
  };
  const refused = (message: string) => ({ code: 1, stdout: "", stderr: `gatehouse: ${message}\n` });

  test("when something else is where the lock should be", async () => {
    const place = createPlace();
    mkdirSync(place.file("gatehouse.lock"), { recursive: true });
    expect(await refusalOf(place)).toEqual(
      refused("DATA/gatehouse.lock cannot be opened: unable to open database file"),
    );
  });

  test("by a master.key that is another one, and serves again with the right one", async () => {
    const place = await createUsedPlace();
    const key = place.file("master.key");
    const right = readFileSync(key, "utf8");
    const keyId = right.split(" ")[0] ?? "";
    writeFileSync(key, otherKey.replace("k2", keyId), { mode: 0o600 });
    expect(await refusalOf(place)).toEqual(
      refused(`the key file is wrong: the key ${keyId} differs from the one that the database was used with`),
    );
    writeFileSync(key, otherKey + right); // the first one writes
    const serving = await place.serve();
    expect(answerOf(await callAs(place, serving))).toMatchObject({ user: { username: "admin" } });
    const user = { username: "of the other key", name: "Service" };
    const service = place.connect(serving);
    const added = await service.call(OrganizationService.method.addOrganization, {
      name: "Of the other key",
    });
    const inside = createCaller(service, idOf(added, "organizationId"));
    await inside(UserService.method.addServiceUser, user); // whose key is under that of the organization
    await serving.stop();
    writeFileSync(key, right);
    expect(await refusalOf(place)).toEqual(
      refused("the key file is wrong: the key k2 that the database was used with is missing"),
    );
  });
});

function callAs(place: Place, serving: ServingProcess) {
  const { clients } = place.connect(serving);
  return clients.json.call(UserService.method.getMyUser, {}, { token: place.adminToken() });
}

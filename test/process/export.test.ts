import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { projections } from "../../src/app/installation.ts";
import { exportedTables } from "../../src/identity/exports/repository.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { createCaller } from "../support/world.ts";
import { createAllKinds } from "./support/all-kinds.ts";
import { liveGroups } from "./support/group-life.ts";
import { liveLogins } from "./support/login-life.ts";
import { liveMetadata } from "./support/metadata-life.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { sortRows } from "./support/tables.ts";

/** Tables that no export names, each with the reason. */
const leftOut = new Map([
  ["migrations", "of the program"],
  ["idempotent_answers", "for a repeated call, until it expires"],
  ["access_tokens", "tokens that applications have: they ask for new ones"],
  ["revoked_access_tokens", "likewise"],
  ["refresh_tokens", "likewise"],
  ["authorizations", "what those came from"],
  ["authorization_codes", "likewise"],
  ["session_values", "cookies of browsers: people sign in again"],
  ["saml_participations", "of those sessions"],
  ["known_browsers", "cookies too"],
  ["used_assertions", "against repetition, for minutes"],
  ["client_tries", "counts of wrong secrets, for minutes"],
  ["tries", "of wrong passwords, likewise"],
  ["used_totp_steps", "against repetition, for minutes"],
  ["used_setup_links", "of links under another key"],
  ["interactions", "logins under way"],
  ["login_challenges", "likewise"],
  ["device_authorizations", "likewise"],
  ["pushed_requests", "likewise"],
  ["provider_visits", "likewise"],
  ["jwt_logins", "likewise"],
  ["saml_logouts", "logouts under way"],
  ["logout_notices", "would be sent by both places"],
  ["security_notices", "likewise"],
]);

const newPlace = usePlaces();
const temporary = makeTemporaryFolder();
afterAll(() => temporary.remove());
let files = 0;
const newFile = () => join(temporary.path, `file-${++files}`);

const [identity, stranger] = await Promise.all([generateX25519Identity(), generateX25519Identity()]);
const recipient = await identityToRecipient(identity);

let origin: Place;
let answers: readonly unknown[];
const plain = newFile();
const sealed = newFile();
const keyFile = newFile();

async function readAll({ call }: ConnectedService): Promise<readonly unknown[]> {
  const { events } = await call(EventService.method.listEvents, { pageSize: 1000 });
  const { users } = await call(UserService.method.listUsers, { pageSize: 100 });
  return [events, users];
}

async function tablesOf(place: Place, names: readonly string[]) {
  return await place.look(async (raw) => {
    const all: Record<string, unknown> = {};
    for (const name of names) all[name] = sortRows(await raw.peek(`SELECT * FROM ${name}`));
    return all;
  });
}

const made = projections.flatMap(({ tables }) => tables);

beforeAll(async () => {
  origin = newPlace();
  const serving = await origin.serve(["--dev"]);
  const service = origin.connect(serving);
  const world = await createAllKinds(service);
  const groupId = await liveGroups(createCaller(service, world.organizationId), world);
  await liveMetadata(service, { ...world, groupId });
  await liveLogins(service);
  answers = await readAll(service);
  expect(await serving.stop()).toBe(0);
  await origin.look(async (raw) => {
    await raw.damage("DELETE FROM activity_hours");
    await raw.damage(
      "INSERT INTO activity_hours (resource_owner, hour, kind, subject, count) VALUES ('1', 2, 'a', 'b', 3)",
    );
    await raw.damage(
      `INSERT INTO imported_objects (source, kind, old_id_digest, object_id) VALUES ('s', 'user', '${"0".repeat(64)}', '1')`,
    );
    for (const number of Array.from({ length: 25 }).keys())
      await raw.damage(
        "INSERT INTO label_images (hash, resource_owner, content_type, bytes) VALUES (?, '1', 'image/png', ?)",
        [`hash ${number}`, new Uint8Array([0, 255, number])],
      );
  });
  writeFileSync(keyFile, `# created: today\n# public key: ${recipient}\n${identity}\n`);
  expect(await origin.run(["export", plain])).toMatchObject({ code: 0, stderr: "" });
  expect(await origin.run(["export", sealed, "--with-secrets", "--recipient", recipient])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/lines, with secrets, encrypted; it has personal data\n$/),
  });
});

describe("gatehouse export and import gatehouse", () => {
  test("name every table that is stored", async () => {
    const known = [
      ...made,
      ...exportedTables.map(({ name }) => name),
      ...leftOut.keys(),
      "events",
      "secrets",
      "settings",
    ];
    const stored = await origin.look((raw) =>
      raw.peek<{ name: string }>(
        process.env["GATEHOUSE_TEST_DATABASE"] === undefined
          ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
          : "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('log_position', 'writers')",
      ),
    );
    expect(stored.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
    const empty = Object.entries(await tablesOf(origin, made)).filter(
      ([, rows]) => (rows as unknown[]).length === 0,
    );
    expect(empty.map(([name]) => name).filter((name) => !rareTables.has(name))).toEqual([]);
  });

  test("without secrets, the place has the same tables and events, and no secret", async () => {
    const text = readFileSync(plain, "utf8");
    expect(statSync(plain).mode & 0o777).toBe(0o600);
    expect(text).not.toMatch(/^\{"secret"/m);
    expect(text).not.toMatch(/^\{"user_key".*"key":/m);
    expect(text).toContain("ada"); // personal data can be read
    const place = newPlace();
    const plan = await place.run(["import", "gatehouse", plain]);
    expect(plan).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ events, of which remain: .*user \d+/),
    });
    expect(await place.run(["import", "gatehouse", plain, "--apply"])).toMatchObject({ code: 0, stderr: "" });
    const rows = exportedTables.filter(({ isSecret }) => isSecret !== true).map(({ name }) => name);
    expect(await tablesOf(place, [...made, ...rows])).toEqual(await tablesOf(origin, [...made, ...rows]));
    const events = async (at: Place) =>
      (await at.run(["events"])).stdout.split("\n").filter((line) => !line.includes("instance.exported"));
    expect(await events(place)).toEqual(await events(origin));
    expect((await events(place)).length).toBeGreaterThan(200);
    const secrets = await place.look((raw) => raw.peek<{ id: string }>("SELECT id FROM secrets"));
    expect(secrets.filter(({ id }) => !/^(?:user|organization)-key:/.test(id))).toEqual([]);
    // Somebody at the place can make a token, and goes on.
    const token = (await place.run(["token", "create"])).stdout.trim();
    const serving = await place.serve(["--dev"]);
    const { user } = await place.connect(serving, token).call(UserService.method.getMyUser, {});
    expect(user).toMatchObject({ username: "admin" });
    expect(await serving.stop()).toBe(0);
  });

  test("with secrets, tokens and passwords go on, and every answer is the same", async () => {
    const bytes = readFileSync(sealed);
    expect(bytes.toString("latin1")).toMatch(/^age-encryption.org\/v1\n-> X25519 /);
    expect(bytes.includes("ada")).toBe(false);
    const place = newPlace();
    const run = ["import", "gatehouse", sealed, "--apply"];
    expect((await place.run(run)).stderr).toBe(
      `gatehouse: ${sealed} is encrypted by age; name the file with its key by --identity\n`,
    );
    const other = newFile();
    writeFileSync(other, stranger);
    expect((await place.run([...run, "--identity", other])).stderr).toContain(
      "cannot be decrypted with this key",
    );
    expect(await place.run([...run, "--identity", keyFile])).toMatchObject({ code: 0, stderr: "" });
    const kept =
      /^(?:token|password|user-secret|application-secret|client-secret|signing-key|target-secret|hook-secret|saml-key|saml-pairwise|totp|recovery-codes|user-key|organization-key)/;
    const idsOf = async (at: Place) =>
      (await at.look((raw) => raw.peek<{ id: string }>("SELECT id FROM secrets ORDER BY id")))
        .map(({ id }) => id)
        .filter((id) => kept.test(id));
    expect(await idsOf(place)).toEqual(await idsOf(origin));
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([]);
    const serving = await place.serve(["--dev"]);
    const service = place.connect(serving, origin.adminToken());
    const [events, users] = await readAll(service);
    expect([
      (events as readonly { readonly eventType: string }[]).filter(
        ({ eventType }) => eventType !== "instance.exported",
      ),
      users,
    ]).toEqual(answers);
    expect(await serving.stop()).toBe(0);
  });

  test("the log says who exported, without a secret", async () => {
    const { stdout } = await origin.run(["events", "--event-type", "instance.exported"]);
    const found = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(found.map(({ payload }) => payload)).toEqual([
      { organization_id: "", with_secrets: false },
      { organization_id: "", with_secrets: true },
    ]);
  });

  test("damaged, foreign and repeated files leave nothing behind", async () => {
    const place = newPlace();
    const refuse = async (change: (text: string) => string, message: RegExp) => {
      const file = newFile();
      writeFileSync(file, change(readFileSync(plain, "utf8")));
      const { code, stderr } = await place.run(["import", "gatehouse", file, "--apply"]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    };
    await refuse(() => "", /the file is empty/);
    await refuse(() => "username,email\n", /line 1 is damaged: it is no JSON/);
    await refuse((text) => text.slice(0, text.lastIndexOf('{"end"')), /the file ends too early/);
    await refuse((text) => text.slice(0, -20), /is damaged: it is no JSON/);
    await refuse((text) => text.replace(/\{"event".*\n/, ""), /lines are before it instead of/);
    await refuse(
      (text) => text.replace('"format":1', '"format":2'),
      /has the format 2, but this program reads 1/,
    );
    await refuse((text) => text.replace('{"setting":', '{"other":'), /it is of no known kind/);
    await refuse(
      (text) => text.replace('"table":"label_images"', '"table":"secrets"'),
      /the table secrets is not known/,
    );
    await refuse(
      (text) => text.replace('"type":"organization.added"', '"type":"organization.taken"'),
      /the event type organization.taken is not known/,
    );
    const cut = newFile();
    writeFileSync(cut, readFileSync(sealed));
    truncateSync(cut, statSync(cut).size - 100);
    const run = ["import", "gatehouse", cut, "--identity", keyFile, "--apply"];
    expect((await place.run(run)).code).toBe(1);
    expect(existsSync(place.file("gatehouse.db"))).toBe(false);
    expect(await place.run(["import", "gatehouse", plain, "--apply"])).toMatchObject({ code: 0 }); // it is still empty
    expect((await place.run(["import", "gatehouse", plain, "--apply"])).stderr).toContain(
      "there is already an installation in",
    );
  });

  test.each([
    [["--with-secrets"], 2, /--with-secrets needs --recipient/],
    [["--recipient", "age1other"], 1, /age1other is no recipient of age/],
  ])("export refuses %j, and writes nothing", async (flags, code, message) => {
    const file = newFile();
    expect(await origin.run(["export", file, ...flags])).toEqual({
      code,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
    expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false]);
    expect((await origin.run(["export", plain])).stderr).toContain("already exists; choose another name");
  });
});

/** Tables of which the lives above leave no row; the test of `rebuild` fills them. */
const rareTables = new Set([
  "imported_ids",
  "passkeys",
  "recovery_codes",
  "idp_links",
  "former_signing_keys",
  "saml_keys",
  "session_links",
  "login_policy_idps",
  "external_client_settings",
  "targets",
  "hooks",
]);

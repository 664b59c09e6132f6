import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { hash } from "@node-rs/argon2";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { toBase32 } from "../../src/identity/factors/totp/time-code.ts";
import { createLoginPlace, createOidcApplication } from "../sites/oidc/support/login-place.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../sites/oidc/support/user-agent.ts";
import { canaries } from "../support/canaries.ts";
import { createHttpClient } from "../support/http-client.ts";
import { makeApp } from "../support/totp.ts";
import { createCaller } from "../support/world.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

const createPlace = usePlaces();
const redirectUri = "https://app.example/callback";

describe("gatehouse import", () => {
  let place: Place;
  let organizationId: string;
  let clientId: string;
  let files: readonly string[];
  const password = `Zq9 ${randomBytes(9).toString("hex")}`;
  const app = makeApp(toBase32(randomBytes(20)));

  beforeAll(async () => {
    canaries.add("imported password", password);
    canaries.add("imported authenticator app", app.secret);
    place = createPlace();
    const serving = await place.serve(["--dev"]);
    const service = place.connect(serving);
    const login = await createLoginPlace(service);
    organizationId = login.organizationId;
    ({ clientId } = await createOidcApplication(service, login, { redirectUris: [redirectUri] }));
    expect(await serving.stop()).toBe(0);
    const encoded = await hash(password, { memoryCost: 8, timeCost: 1 });
    const user = {
      id: "e1f0",
      username: "import.ada",
      given_name: "Ada",
      family_name: "Byron",
      email: "import.ada@example.com",
      email_verified: true,
      password_hash: encoded,
      totp_secret: app.secret,
      roles: ["Imported shop/buyer"],
    };
    const lines = [{ type: "project", id: "s", name: "Imported shop", roles: ["buyer"] }, user];
    files = [`${place.path}.jsonl`, `${place.path}.csv`];
    writeFileSync(files[0] ?? "", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    writeFileSync(
      files[1] ?? "",
      "id,username,given_name,family_name,password_hash\ne1f1,import.bob,Bob,Byron,nonsense\n",
    );
  });

  const run = (...args: readonly string[]) =>
    place.run(["import", "generic", ...files, "--organization", organizationId, ...args]);

  test("prints its plan, and does nothing without --apply, or while something has a fault", async () => {
    const before = dump(place.file("gatehouse.db"));
    const plan = await run();
    expect(plan).toMatchObject({ code: 1, stderr: "" });
    expect(plan.stdout).toContain('+ data.jsonl line 2: new user "e1f0" with a password');
    expect(plan.stdout).toMatch(/\nplan: 3 to add, 0 there already, 0 notes, 1 problems\n$/);
    expect(await run("--apply")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing was imported because of 1 problems"),
    });
    expect(dump(place.file("gatehouse.db"))).toEqual(before);
  });

  test("brings people who log in with their password and authenticator app", async () => {
    const done = await run("--apply", "--partial", "--quiet");
    expect(done.stdout).toMatch(/\nimport: 3 added, 0 there already, 0 notes, 1 problems\n$/);
    expect(await run("--apply", "--partial", "--quiet")).toMatchObject({
      stdout: expect.stringContaining("import: 0 added, 3 there already"),
    });
    const serving = await place.serve(["--dev"]);
    const service = place.connect(serving);
    const inside = createCaller(service, organizationId);
    const { users } = await inside(UserService.method.listUsers, { username: "import.ada" });
    expect(users).toMatchObject([
      { importedId: "e1f0", human: { email: "import.ada@example.com", isEmailVerified: true } },
    ]);
    const { userGrants } = await inside(UserGrantService.method.listUserGrants, {});
    expect(userGrants).toMatchObject([{ roleKeys: ["buyer"] }]);
    const origin = `http://localhost:${new URL(service.url).port}`;
    const http = createHttpClient(service.url);
    const agent = openUserAgent({ origin, send: (request) => http.send(request) });
    const asked = { client_id: clientId, redirect_uri: redirectUri, response_type: "code", scope: "openid" };
    const challenge = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
    const url = toAuthorizationUrl(origin, Object.entries({ ...asked, ...challenge }));
    const typed = { username: "import.ada", password, code: app.code(Date.now()) };
    const end = await logIn(agent, await agent.open(url), typed);
    expect(end.searchParams.get("code")).toMatch(/./);
    http.close();
    expect(await serving.stop()).toBe(0);
    expect((await place.run(["doctor", "--dev"])).stdout).not.toContain("FAILED");
  });

  test("brings clients of Keycloak that authenticate with the secret that they had", async () => {
    const redirectUris = ["https://k.example/cb"];
    const clients = [{ id: "k1", clientId: "typed", secret: "changeme", redirectUris }];
    const file = `${place.path}.realm.json`;
    writeFileSync(file, JSON.stringify({ realm: "kc", clients }));
    const done = await place.run(["import", "keycloak", file, "--organization", organizationId, "--apply"]);
    const [, client = ""] = /application "typed", whose client id is (\d+) now/.exec(done.stdout) ?? [];
    const serving = await place.serve(["--dev"]);
    const statusOf = async (secret: string) => {
      const headers = { authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString("base64")}` };
      const form = { method: "POST", headers, body: new URLSearchParams({ token: "x" }) };
      return (await fetch(`${serving.url}/oauth/v2/introspect`, form)).status;
    };
    expect([await statusOf("changeme"), await statusOf("changed")]).toEqual([200, 401]);
    expect(await serving.stop()).toBe(0);
  });

  test.each([
    [["import", "nowhere", "x.csv", "--organization", "1"], 2, /knows no source nowhere/],
    [["import", "generic", "x.csv"], 2, /needs --organization/],
    [["import", "generic", "x.txt", "--organization", "1"], 1, /must end with \.csv or \.jsonl/],
    [["import", "generic", "/nowhere/x.csv", "--organization", "1"], 2, /no active organization/],
  ])("explains %j", async (args, code, message) => {
    expect(await place.run(args)).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(message) });
  });
});

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { runGatehouse } from "../support/process.ts";
import { usePlaces } from "./support/place.ts";

// The commands of docs/apply.md, and the file on that page. What plans and applying do is held by test/applying.

const newPlace = usePlaces();
const temporary = makeTemporaryFolder();
afterAll(() => temporary.remove());
const file = join(temporary.path, "shop.yaml");
const secretsFile = join(temporary.path, "secrets.jsonl");

let service: readonly string[];
beforeAll(async () => {
  const place = newPlace();
  const { url } = place.connect(await place.serve());
  service = ["--server", url, "--token-file", place.file("admin.token")];
  const page = readFileSync(join(import.meta.dirname, "../../docs/apply.md"), "utf8");
  writeFileSync(file, /```yaml\n([^`]*)```/.exec(page)?.[1] ?? "");
});

async function run(args: readonly string[]) {
  const running = runGatehouse(args);
  return { code: await running.exited, stdout: running.stdout(), stderr: running.stderr() };
}

test("a plan exits with 2 while something would change, and with 1 for mistakes; what is applied changes nothing more", async () => {
  const summary = "6 to add, 0 to change, 0 to remove\n";
  const plan = await run(["plan", file, ...service]);
  expect(plan).toMatchObject({ code: 2, stderr: "" });
  expect(plan.stdout).toContain(`plan: ${summary}`);
  expect(plan.stdout).toContain(
    '+ organization "Acme" / project "Shop" / role "seller"\n    display_name: "Seller"\n',
  );

  const applied = await run(["apply", file, ...service, "--new-secrets", secretsFile]);
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  expect(applied.stdout).toContain("apply: 6 added, 0 changed, 0 removed\n");
  expect(applied.stdout).toContain(` a new secret that is in ${secretsFile}\n`);
  expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
  const { client_secret: secret, ...of } = JSON.parse(readFileSync(secretsFile, "utf8")) as Record<
    string,
    string
  >;
  expect(of).toEqual({
    of: 'organization "Acme" / project "Shop" / OpenID Connect application "Web"',
    app_id: expect.any(String),
    client_id: expect.any(String),
  });
  expect(applied.stdout).not.toContain(secret);

  const none = { code: 0, stdout: "plan: 0 to add, 0 to change, 0 to remove\n", stderr: "" };
  expect(await run(["plan", file, ...service])).toEqual(none);
  expect(await run(["apply", file, ...service])).toEqual(none);
});

test("an export of the configuration can be planned at once", async () => {
  const all = join(temporary.path, "all.yaml");
  expect(await run(["export", all, "--as-config", ...service])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await run(["plan", all, ...service])).toMatchObject({ code: 0, stderr: "" });
  const one = await run(["export", "--as-config", "--organization", "Acme", ...service]);
  expect(one.stdout).toMatch(/^organizations:\n  - name: Acme\n    state: ACTIVE\n/);
  expect(await run(["export"])).toMatchObject({
    code: 2,
    stderr: "gatehouse: export needs the name of a new file\n",
  });
});

test("mistakes and wrong callers are lines on stderr", async () => {
  const wrong = join(temporary.path, "wrong.yaml");
  writeFileSync(
    wrong,
    "organizations:\n- name: Acme\n  groups: [{ name: Sales, source_idp: Nobody }]\n  colour: red\n",
  );
  expect(await run(["plan", wrong, ...service])).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^gatehouse: .*wrong\.yaml:4:3: the key "colour" is unknown here; known are name, /,
    ),
  });
  writeFileSync(wrong, "organizations:\n- name: Acme\n  groups: [{ name: Sales, source_idp: Nobody }]\n");
  expect(await run(["apply", wrong, ...service])).toEqual({
    code: 1,
    stdout: "",
    stderr: `gatehouse: ${wrong}:3:39: there is no identity provider "Nobody" in organization "Acme"\n`,
  });
  const stranger = join(temporary.path, "token");
  writeFileSync(stranger, "nobody's");
  const [flag = "", url = ""] = service;
  const refused = await run(["plan", file, flag, url, "--token-file", stranger]);
  expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("(TOKEN_INVALID)") });
  for (const [server, text] of [
    [
      "http://id.example.com",
      "--server must begin with https://: the token would be sent without encryption",
    ],
    ["id.example.com", "--server must be the URL of the service, such as https://id.example.com"],
    ["http://127.0.0.1:9", "the service does not answer"],
  ] as const)
    expect(await run(["plan", file, "--server", server, "--token-file", stranger])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(text),
    });
  expect(await run(["plan", file])).toMatchObject({ code: 1 });
  expect(await run(["plan", file, "--purge"])).toMatchObject({ code: 1 });
});

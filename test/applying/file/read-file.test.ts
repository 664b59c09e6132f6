import { afterAll, describe, expect, test } from "@jest/globals";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "../../../src/applying/file/read-file.ts";
import { createSecretSource } from "../../../src/applying/file/secrets.ts";
import { configurationKinds } from "../../../src/applying/kinds/configuration-kinds.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

const temporary = makeTemporaryFolder();
afterAll(() => temporary.remove());
const folder = join(temporary.path, "secrets");
mkdirSync(folder);
writeFileSync(join(folder, "good"), "two\nlines\n");
writeFileSync(join(folder, "empty"), "");
writeFileSync(join(folder, "binary"), Buffer.from([0xff, 0xfe]));
writeFileSync(join(temporary.path, "outside"), "not for this file");
symlinkSync(join(temporary.path, "outside"), join(folder, "link"));

const environment = {
  GATEHOUSE_SECRET_A: "from the environment",
  HOME: "/root",
  GATEHOUSE_MASTER_KEY: "never",
};

function mistakesIn(content: string, within: string | undefined = folder): readonly string[] {
  const secrets = createSecretSource({ environment, folder: within });
  try {
    readConfiguration(content, { file: "f", kinds: configurationKinds, secrets });
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  return [];
}

const inOrganization = (lines: string) => `organizations:\n- name: A\n  ${lines.replaceAll("\n", "\n  ")}\n`;
const project = (lines: string) =>
  inOrganization(`projects:\n- name: P\n  ${lines.replaceAll("\n", "\n  ")}`);

describe("a file", () => {
  test.each([
    [
      "YAML that is none",
      "organizations: [",
      ["f:1:17: Flow sequence in block collection must be sufficiently indented and end with a ]"],
    ],
    ["a key twice", "instance: {}\ninstance: {}\n", ["f:2:1: Map keys must be unique"]],
    ["no mapping", "- a\n", ["f:1:1: must be a mapping of names to values"]],
    ["nothing", "", ["f:1:1: must be a mapping of names to values"]],
    ["a list that is none", "organizations: {}\n", ["f:1:16: must be a list"]],
    [
      "an object without a name",
      "organizations:\n- state: ACTIVE\n",
      ["f:2:3: needs name, which says which organization it is"],
    ],
    [
      "a name twice",
      "organizations:\n- name: A\n- name: ' a'\n",
      ["f:3:3: is the same organization as in line 2"],
    ],
    [
      "a server, which no file may name",
      "server: https://x\n",
      ['f:1:1: the key "server" is unknown here; known are instance, organizations'],
    ],
    [
      "a number for a text",
      "organizations:\n- name: 7\n",
      [
        "f:2:9: must be a text; put it in quotes",
        "f:2:3: needs name, which says which organization it is",
      ].toReversed(),
    ],
    ["a text for a truth value", project("project_role_check: 'yes'"), ["f:5:25: must be true or false"]],
    [
      "a value that is empty",
      project("project_role_check:"),
      [expect.stringMatching(/^f:5:\d+: is empty; leave the key out, or write a value$/)],
    ],
    [
      "an unknown value",
      project("private_labeling_setting: MAYBE"),
      [
        "f:5:31: must be one of ENFORCE_PROJECT_RESOURCE_OWNER_POLICY, ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY",
      ],
    ],
    ["a state", project("state: GONE"), ["f:5:12: must be one of ACTIVE, INACTIVE"]],
    [
      "a number that is none",
      inOrganization("login_policy: { min_password_length: -1 }"),
      ["f:3:40: must be a whole number, not negative"],
    ],
    [
      "an instant that is none",
      inOrganization("user_grants: [{ user: u, project: p, end_date: soon }]"),
      ["f:3:50: must be an instant such as 2030-01-31T12:00:00Z"],
    ],
    [
      "an unknown member",
      project("api_applications: [{ name: a, scopes: [{ title: t }] }]"),
      ['f:5:46: the key "title" is unknown here; known are name, description, is_default, role_keys'],
    ],
    [
      "two of what is one",
      inOrganization("groups: [{ name: g, source_idp: i, source_user: u }]"),
      ["f:3:51: cannot stand beside source_idp: only one of them is possible"],
    ],
    [
      "owning what is not there",
      project("owns: [roles]"),
      ["f:5:12: owns roles, which are not in the file here; write roles: [] if there shall be none"],
    ],
    [
      "owning what is never removed",
      inOrganization("owns: [login_policy]"),
      [expect.stringMatching(/^f:3:10: must be one of texts, identity_providers, /)],
    ],
  ])("with %s is refused with the place of it", (_what, content, expected) => {
    expect(mistakesIn(content)).toEqual(expected);
  });

  test("may repeat parts by aliases, but not without end", () => {
    expect(
      mistakesIn(
        "organizations:\n- name: A\n  projects: [{ name: P, metadata: &m { a: b } }]\n  metadata: *m\n",
      ),
    ).toEqual([]);
    const bomb = `instance: {}\norganizations:\n- name: A\n  projects:\n  - name: P\n    roles: &r [${Array.from({ length: 400 }, (_each, index) => `{ role_key: k${index} }`).join()}]\n${Array.from({ length: 400 }, (_each, index) => `  - { name: P${index}, roles: *r }\n`).join("")}`;
    expect(mistakesIn(bomb)).toEqual(["f:1:1: the file has more than 100000 objects"]);
    expect(mistakesIn("organizations: &o\n- name: A\n  projects: *o\n").length).toBeGreaterThan(0);
  });
});

describe("a secret", () => {
  const target = (secret: string) =>
    inOrganization(`targets: [{ name: t, url: u, signing_secret: ${secret} }]`);
  const at = (text: string) => [expect.stringMatching(new RegExp(`^f:3:48: ${text}`))];

  test("comes by reference from the environment or a file, and from nowhere else", () => {
    expect(mistakesIn(target("env:GATEHOUSE_SECRET_A"))).toEqual([]);
    expect(mistakesIn(target("file:good"))).toEqual([]);
    for (const literal of [
      "'whsec_abc'",
      "env:HOME",
      "env:GATEHOUSE_MASTER_KEY",
      "env:GATEHOUSE_SECRET_",
      "ENV:GATEHOUSE_SECRET_A",
    ])
      expect(mistakesIn(target(literal))).toEqual(at("must be a reference: "));
    expect(mistakesIn(target("env:GATEHOUSE_SECRET_B"))).toEqual(
      at("the environment variable GATEHOUSE_SECRET_B is not set"),
    );
  });

  test("comes from no file outside its folder, wherever links lead, and from none that is no text", () => {
    expect(mistakesIn(target("file:../outside"))).toEqual(at("refers to a file that is not below"));
    expect(mistakesIn(target("file:link"))).toEqual(at("refers to a file that is not below"));
    expect(mistakesIn(target(`file:${join(folder, "good")}`))).toEqual(at("refers to a file that is not"));
    expect(mistakesIn(target("file:."))).toEqual(at("refers to what is no file"));
    expect(mistakesIn(target("file:missing"))).toEqual(at("refers to a file that is not there"));
    expect(mistakesIn(target("file:empty"))).toEqual(at("refers to an empty file"));
    expect(mistakesIn(target("file:binary"))).toEqual(at("refers to a file that is no UTF-8"));
  });

  test("is a text like any other in fields that hold none", () => {
    const secrets = createSecretSource({ environment, folder });
    const content = inOrganization(
      "service_users: [{ username: env:GATEHOUSE_SECRET_A, name: 'file:good' }]",
    );
    const [organizations] = readConfiguration(content, { file: "f", kinds: configurationKinds, secrets });
    const [users] = organizations?.objects[0]?.children ?? [];
    const values = [...(users?.objects[0]?.fields.values() ?? [])].map(({ value }) => value);
    expect(values).toEqual(["env:GATEHOUSE_SECRET_A", "file:good"]);
  });
});

test("a secret keeps its line breaks but the last", () => {
  expect(createSecretSource({ environment, folder }).read("file:good")).toEqual({ secret: "two\nlines" });
  expect(createSecretSource({ environment, folder: undefined }).read("file:good")).toEqual({
    problem: "refers to a file, so --secrets-dir must say below which folder",
  });
});

import { describe, expect, test } from "@jest/globals";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toOptionsTable } from "../src/config/options-table.ts";
import { serveGatehouse } from "./support/process.ts";
import { makeTemporaryFolder } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const optionsPage = readFileSync(join(root, "src/config/README.md"), "utf8");

/** The calls that the README shows, each with what it says that they print. */
const examples = [...readme.matchAll(/```sh\n(?<code>[^]*?)```\n(?:\n```text\n(?<printed>[^]*?)```)?/g)].map(
  ({ groups }) => ({ code: groups?.["code"] ?? "", printed: groups?.["printed"] }),
);

const between = "---- next example ----";

function splitAnswers(output: string): readonly object[] {
  const texts = output
    .replaceAll("}{", "}\n{")
    .trim()
    .split(/\n(?=\{)/);
  return texts.map((text) => JSON.parse(text) as object);
}

function adminTokenIn(folder: string): string {
  return readFileSync(join(folder, "data/admin.token"), "utf8").trim();
}

async function projectNames(url: string, token: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const { projects } = (await (await fetch(`${url}/v1/projects`, { headers })).json()) as {
    projects: readonly { readonly name: string }[];
  };
  return projects.map(({ name }) => name);
}

/** A pattern of the whole text, in which … is what differs from run to run: some characters of one line. */
function toPattern(text: string): RegExp {
  const plain = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(`^${plain.replaceAll("…", ".+")}$`, "u");
}

test("src/config/README.md lists every option as the program has it", () => {
  const shown = /<!-- options:[^>]*-->\n(?<table>[^]*?)<!-- \/options -->/.exec(optionsPage);
  expect(shown?.groups?.["table"]?.trim()).toBe(toOptionsTable());
});

describe("the README", () => {
  test("shows calls that work as they stand, on all three content types, and what they print", async () => {
    const folder = makeTemporaryFolder();
    mkdirSync(join(folder.path, "data"));
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    try {
      expect(examples.length).toBeGreaterThanOrEqual(9);
      const script = ["set -e", ...examples.map(({ code }) => code)]
        .join(`\necho; echo ${between}\n`)
        .replaceAll("http://127.0.0.1:8080", service.url)
        .replaceAll("data/admin.token", join(folder.path, "data/admin.token"))
        .replaceAll("/tmp/project.json", join(folder.path, "project.json"));
      const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      const outputs = stdout.split(`${between}\n`).slice(1);
      expect(outputs.slice(0, 5).map((output) => splitAnswers(output).map(Object.keys))).toEqual([
        [["user"]],
        [["id", "details"], ["details"]],
        [["details"]],
        [["project"]],
        [["code", "message", "details"]],
      ]);
      expect(outputs[4]).toContain("nmae");
      expect(outputs[5]).toContain('"name":"Robot"'); // who signed in calls
      const shown = examples.flatMap(({ printed }, index) =>
        printed === undefined
          ? []
          : [[outputs[index]?.replaceAll(/ +$/gm, "").trim(), printed.trim()] as const],
      );
      expect(shown).toHaveLength(4);
      for (const [output, text] of shown) expect(output).toMatch(toPattern(text));
      expect(splitAnswers(outputs.at(-1) ?? "").map(Object.keys)).toEqual([["details"]]);
      // Done once, done by the first, done in the batch, and not done at all.
      expect(await projectNames(service.url, adminTokenIn(folder.path))).toEqual(["Blog", "Shop", "Market"]);
    } finally {
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows a watch that begins with the first event and goes on", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    const [, code = ""] = /```sh watch\n([^]*?)```/.exec(readme) ?? [];
    const token = adminTokenIn(folder.path);
    const script = code.replaceAll("http://127.0.0.1:8080", service.url);
    const watch = spawn("bash", ["-c", script], {
      cwd: root,
      detached: true, // npx starts processes of its own, which are to end with it
      env: { ...process.env, TOKEN: token },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const project = { name: "Watched" };
      await fetch(`${service.url}/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(project),
      });
      let seen = "";
      for await (const chunk of watch.stdout) {
        seen += String(chunk);
        if (seen.includes('"Watched"')) break;
      }
      expect(seen.indexOf('"organization.added"')).toBeGreaterThan(0);
      expect(seen.indexOf('"project.added"')).toBeGreaterThan(seen.indexOf('"organization.added"'));
    } finally {
      process.kill(-(watch.pid ?? 0), "SIGKILL");
      await service.stop();
      folder.remove();
    }
  }, 60_000);
});

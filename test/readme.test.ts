import { describe, expect, test } from "@jest/globals";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toOptionsTable } from "../src/config/options.ts";
import { serveGatehouse } from "./support/process.ts";
import { makeTemporaryFolder } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");

describe("the README", () => {
  test("lists every option as the program has it", () => {
    const shown = /<!-- options:[^>]*-->\n(?<table>[^]*?)<!-- \/options -->/.exec(readme)?.groups?.["table"];
    expect(shown?.trim()).toBe(toOptionsTable());
  });

  test("shows calls that work as they stand, on all three content types", async () => {
    const folder = makeTemporaryFolder();
    mkdirSync(join(folder.path, "data"));
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    try {
      const blocks = [...readme.matchAll(/```sh\n(?<code>[^]*?)```/g)].map(
        (match) => match.groups?.["code"] ?? "",
      );
      expect(blocks.length).toBeGreaterThanOrEqual(4);
      const script = ["set -e", ...blocks]
        .join("\necho\n")
        .replaceAll("http://127.0.0.1:8080", service.url)
        .replaceAll("data/admin.token", join(folder.path, "data/admin.token"))
        .replaceAll("/tmp/project.json", join(folder.path, "project.json"));
      const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      const answers = stdout
        .replaceAll("}{", "}\n{")
        .trim()
        .split(/\n(?=\{)/)
        .map((text) => JSON.parse(text) as Record<string, unknown>);
      expect(answers.map((answer) => Object.keys(answer))).toEqual([
        ["id", "details"],
        ["details"],
        ["details"],
        ["project"],
        ["code", "message", "details"],
      ]);
      expect(JSON.stringify(answers.at(-1))).toContain("nmae");
    } finally {
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows a watch that begins with the first event and goes on", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    const [, code = ""] = /```sh watch\n([^]*?)```/.exec(readme) ?? [];
    const token = readFileSync(join(folder.path, "data/admin.token"), "utf8").trim();
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

// The call of the README that registers a gateway works as it stands, and makes a provider that sends browsers there.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startService, type TestService } from "../../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ dev: true });
});
afterAll(() => service.stop());

test("the README registers a gateway", async () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
  const code = /```sh gateway\n([^]*?)```/.exec(readme)?.[1] ?? "";
  const script = code.replace("http://127.0.0.1:8080", service.url);
  const env = { ...process.env, TOKEN: service.adminToken };
  const { stdout } = await promisify(execFile)("bash", ["-c", script], { env });
  expect(JSON.parse(stdout)).toMatchObject({ idpId: expect.stringMatching(/^\d+$/) });
});

import { expect, test } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { once } from "node:events";
import { makeCertificate } from "../kernel/http/support/certificate.ts";
import { readNamed } from "./support/page.ts";
import { openShell } from "./support/shell.ts";

test("README.md and docs/operate/run.md start in production with the same command, which works", async () => {
  const [command = "", ...more] = ["README.md", "docs/operate/run.md"].flatMap((page) =>
    readNamed(page, "production"),
  );
  expect(more).toEqual([command]);
  const shell = await openShell();
  const { cert, key } = makeCertificate();
  writeFileSync(join(shell.folder, "certificate.pem"), cert);
  writeFileSync(join(shell.folder, "key.pem"), key);
  try {
    const untilPrinted = await shell.runOn(command.replace("/var/lib/gatehouse", join(shell.folder, "var")));
    await untilPrinted("gatehouse ready on https://0.0.0.0:");
    const { port } = new URL(shell.at(443));
    const socket = connect({ port: Number(port), host: "127.0.0.1", ca: cert });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  } finally {
    await shell.close();
  }
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt, program, refuse, serve, server } from "./program.mjs";
import { createServers } from "./sdk-2-servers.mjs";

// The inspector is a program of its own here: its command line, which waits at a port of its own for the browser to come back.
const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const launcher = join(manifest, "../clients/launcher/build/index.js");
const callback = new URL(program.redirectUri);
callback.port = await findPort();

async function findPort() {
  const socket = createServer().listen(0, "localhost");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return String(port);
}

/** Calls a tool with what is kept in a folder. Sends the browser to where the inspector would open it. */
async function call(name, { folder, document = [] }, sendBrowser) {
  const asked = [
    "--server-url",
    server.href,
    "--transport",
    "http",
    "--method",
    "tools/call",
    "--tool-name",
    name,
  ];
  const args = [
    launcher,
    "--cli",
    ...asked,
    "--callback-url",
    callback.href,
    "--format",
    "json",
    ...document,
  ];
  const environment = { HOME: folder, MCP_STORAGE_DIR: folder, MCP_INSPECTOR_SECRET_STORE: "file" };
  const opening = { MCP_AUTO_OPEN_ENABLED: "true", BROWSER: "true" }; // "true" opens nothing
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...environment, ...opening },
  });
  const [out, said] = [child.stdout, child.stderr].map(collect);
  let isSent = false;
  child.stderr.on("data", () => {
    const [, location] = /^Please navigate to: (\S+)$/m.exec(said.text) ?? [];
    if (location === undefined || isSent) return;
    isSent = true;
    void sendBrowser(location).then((back) => fetch(`${callback}?${back}`));
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${code}: ${said.text}`);
  return JSON.parse(out.text).result.content[0].text;
}

function collect(stream) {
  const collected = { text: "" };
  stream.on("data", (chunk) => {
    collected.text += chunk.toString();
  });
  return collected;
}

/** The tokens that are kept in a folder. `put` changes the access token. */
function tokensIn(folder, put) {
  const file = join(folder, "secrets.json");
  const kept = JSON.parse(readFileSync(file, "utf8"));
  const name = Object.keys(kept.secrets).find((key) => key.includes(":tokens:"));
  const tokens = JSON.parse(kept.secrets[name]);
  kept.secrets[name] = JSON.stringify({ ...tokens, access_token: put ?? tokens.access_token });
  writeFileSync(file, JSON.stringify(kept));
  return tokens;
}

serve(await createServers(), async (sendBrowser) => {
  const [described, registered] = [1, 2].map(() => ({ folder: mkdtempSync(join(tmpdir(), "inspector-")) }));
  described.document = ["--client-metadata-url", program.clientMetadataUrl];
  try {
    return {
      document: await attempt(() => call("whoami", described, sendBrowser)),
      stepUp: await attempt(() => call("more", described, sendBrowser)),
      refresh: await attempt(() => {
        tokensIn(described.folder, "expired");
        return call("more", described);
      }),
      other: await attempt(() => refuse(tokensIn(described.folder))),
      registered: await attempt(() => call("whoami", registered, sendBrowser)),
    };
  } finally {
    for (const { folder } of [described, registered]) rmSync(folder, { recursive: true });
  }
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import express from "express";
import { attempt, moreScope, program, scope, serve, server } from "./program.mjs";

// What docs/mcp.md says, as it stands there but for ports and scopes. Its server is behind this program, at whose URL it is an API.
const page = readFileSync(join(import.meta.dirname, "../../../../docs/mcp.md"), "utf8");
const [behind, back] = [await findPort(), await findPort()];

async function findPort() {
  const socket = createServer().listen(0, "localhost");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return String(port);
}

/** Starts one of its programs. Returns what it prints, line by line. */
function start(name) {
  const [, code] = new RegExp(`^\`\`\`js ${name}\n([^]*?)^\`\`\``, "m").exec(page);
  const here = code
    .replaceAll("http://localhost:8080", program.issuer)
    .replaceAll("http://localhost:3001/mcp", server.href)
    .replaceAll("listen(3001", `listen(${behind}`)
    .replaceAll("3000", back)
    .replaceAll("notes.read", scope)
    .replaceAll("notes.write", moreScope);
  writeFileSync(name, here);
  const environment = { PATH: process.env.PATH, API: JSON.parse(program.credentials)[server.href] };
  const child = spawn(process.execPath, [name], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill());
  process.once("SIGTERM", () => process.exit());
  return child.stdout.setEncoding("utf8");
}

/** Starts its client, and sends the browser where it prints. Returns what each of the two tools says. */
async function runClient(sendBrowser) {
  let text = "";
  for await (const chunk of start("client.mjs")) {
    text += chunk;
    const [, location] = /^Sign in at (\S+)\n/m.exec(chunk) ?? [];
    if (location !== undefined)
      await fetch(`http://localhost:${back}/callback?${await sendBrowser(location)}`);
  }
  return [...text.matchAll(/^The notes of (.*)$/gm)].map(([, user]) => user);
}

start("server.mjs");
const app = express();
app.use(["/mcp", "/.well-known"], express.raw({ type: () => true }), async (request, response) => {
  const { method, originalUrl, headers } = request;
  const body = method === "POST" ? { body: request.body } : {};
  const { "content-length": _length, connection: _connection, ...sent } = headers;
  const answer = await fetch(`http://localhost:${behind}${originalUrl}`, { method, headers: sent, ...body });
  const challenge = answer.headers.get("www-authenticate");
  if (challenge !== null) response.set("www-authenticate", challenge);
  response.status(answer.status).type(answer.headers.get("content-type") ?? "text/plain");
  response.send(Buffer.from(await answer.arrayBuffer()));
});
serve(app, async (sendBrowser) => {
  const said = await attempt(() => runClient(sendBrowser));
  if (typeof said === "string") return { registered: said };
  return { registered: said[0] ?? "failed: it said nothing", stepUp: said[1] ?? "failed: it said nothing" };
});

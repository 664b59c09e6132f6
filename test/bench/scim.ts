/**
 * Measures how long a directory takes to add users by SCIM, one request each, over some connections at a time, and how much time of the
 * processor the service takes for it: `node test/bench/scim.ts [users] [connections] [arguments of Node for the service …]`.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeScimDirectory } from "../clients/scim/directory.ts";
import { serveGatehouse } from "../support/process.ts";

const [users = 10_000, connections = 16] = process.argv.slice(2, 4).map(Number);
const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-scim-"));
const launch = process.argv.length > 4 ? { node: process.argv.slice(4) } : {};
const service = await serveGatehouse(["--data", join(folder, "data")], {}, launch);
try {
  const adminToken = readFileSync(join(folder, "data", "admin.token"), "utf8").trim();
  const { url, token } = await makeScimDirectory(service.url, adminToken);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const before = processorSeconds();
  const start = performance.now();
  let next = 0;
  const addOneByOne = async () => {
    while (next < users) await add(agent, { url, token }, next++);
  };
  await Promise.all(Array.from({ length: connections }, addOneByOne));
  const seconds = (performance.now() - start) / 1000;
  const used = processorSeconds() - before;
  agent.destroy();
  console.log(
    `${users} users by SCIM over ${connections} connections: ${seconds.toFixed(1)} s, ${Math.round(users / seconds)} users/s; ` +
      `processor time of the service: ${used.toFixed(1)} s, ${((used * 1000) / users).toFixed(2)} ms a user`,
  );
} finally {
  service.child.kill("SIGTERM");
  await service.exited;
  rmSync(folder, { recursive: true });
}

/** The time that the service has computed so far, of all its threads. */
function processorSeconds(): number {
  const fields =
    readFileSync(`/proc/${service.child.pid ?? 0}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100; // utime and stime, in ticks of 10 ms
}

async function add(
  agent: Agent,
  { url, token }: { url: string; token: string },
  index: number,
): Promise<void> {
  const name = `user-${index}`;
  const body = JSON.stringify({
    schemas: [
      "urn:ietf:params:scim:schemas:core:2.0:User",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
    ],
    externalId: `old-${index}`,
    userName: `${name}@example.com`,
    name: { givenName: `Given ${index}`, familyName: `Family ${index}` },
    displayName: `Given Family ${index}`,
    title: "Engineer",
    emails: [{ value: `${name}@example.com`, type: "work", primary: true }],
    active: true,
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {
      department: "Engines",
      employeeNumber: `${index}`,
    },
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request(`${url}/Users`, { agent, method: "POST", headers }, (answer) => {
    answer.resume().once("end", () => resolve(answer.statusCode));
  })
    .once("error", reject)
    .end(body);
  const status = await promise;
  if (status !== 201) throw new Error(`a user was answered with ${status}`);
}

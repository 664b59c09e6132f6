// Strangers who name clients, so that the service fetches something for them.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Agent, request as createRequest } from "node:http";
import { ExternalClientKind } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { sized } from "../support/size.ts";
import { createCaller, createWorld, type World } from "../support/world.ts";
import { type Lab, startLab } from "./support/lab.ts";
import { describeWaits, type Probing, startProbing } from "./support/probing.ts";

let lab: Lab;
let world: World;
let probing: Probing;
const agents = { crowd: new Agent({ keepAlive: true, maxSockets: 64 }), few: new Agent({ maxSockets: 16 }) };

beforeAll(async () => {
  lab = await startLab(["--trusted-proxies", "127.0.0.1"]);
  world = await createWorld(lab);
  probing = await startProbing(lab);
  await lab.setNames({
    "private.example": [["10.0.0.1"]],
    "metadata.example": [["169.254.169.254"]],
    "loopback.example": [["127.0.0.1"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "mixed.example": [["9.9.9.9", "10.0.0.1"]],
  });
  const kinds = [ExternalClientKind.METADATA_DOCUMENT, ExternalClientKind.REGISTRATION];
  await lab.call(ApplicationService.method.updateExternalClientSettings, {
    kinds,
    projectId: world.projectId,
  });
});
afterAll(async () => {
  probing.stop();
  for (const each of Object.values(agents)) each.destroy();
  await lab.discard();
});

/** Sends a request from an address of its own, as a proxy says. */
async function send(from: number, path: string, body?: string): Promise<{ status: number; text: string }> {
  const address = `100.${64 + (from >> 16)}.${(from >> 8) & 255}.${from & 255}`;
  const sent = Promise.withResolvers<{ status: number; text: string }>();
  const request = createRequest(`${lab.url}${path}`, {
    agent: body === undefined ? agents.crowd : agents.few,
    method: body === undefined ? "GET" : "POST",
    headers: {
      host: `localhost:${lab.port}`,
      "x-forwarded-for": address,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
  });
  request.on("error", sent.reject);
  request.on("response", (response) => {
    let text = "";
    response.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    response.on("end", () => sent.resolve({ status: response.statusCode ?? 0, text }));
  });
  request.end(body);
  return await sent.promise;
}

function authorizePath(clientId: string): string {
  const asked = {
    client_id: clientId,
    redirect_uri: "https://agent.example/callback",
    response_type: "code",
  };
  return `/oauth/v2/authorize?${new URLSearchParams(asked).toString()}`;
}

async function listClients(): Promise<number> {
  const inside = createCaller(lab, world.organizationId);
  const { projectId } = world;
  const answer = await inside(ApplicationService.method.listApplications, { projectId });
  const applications = (answer["applications"] ?? []) as readonly { oidc?: { externalClient?: string } }[];
  return applications.filter(({ oidc }) => oidc?.externalClient !== undefined).length;
}

// Every way to write such a host is in `test/kernel/outbound/guarded-fetch.test.ts`.
test("a document at a private host is never fetched, and reads like one that is not there", async () => {
  const before = await lab.sample();
  const hosts = ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "localhost", "a.localhost"];
  const names = ["absent", "private", "metadata", "loopback", "mapped", "mixed"];
  const urls = [...hosts, ...names.map((name) => `${name}.example`)].map((host) => `https://${host}/client`);
  const answers = await Promise.all(urls.map((url, at) => send(1000 + at, authorizePath(url))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  const texts = answers.map(({ text }) => text.replace(/<footer>Request \w+/, ""));
  expect(new Set(texts).size).toBe(1);
  const after = await lab.sample();
  expect(after.connections).toEqual(before.connections);
  expect(await listClients()).toBe(0);
});

describe("while the service has time for others, and nothing stays", () => {
  const count = sized({ small: 1000, full: 10_000 });

  /** The time of the thread alone decides: others on this machine take what they want. */
  async function during(name: string, attack: () => Promise<void>): Promise<void> {
    let longestMs = 0;
    const waits = await probing.during(async () => {
      longestMs = await lab.longestTurnMs(attack);
    });
    process.stdout.write(
      `${describeWaits(name, waits)}\n  the longest turn took ${longestMs.toFixed(1)} ms\n`,
    );
    expect(waits.failures).toEqual([]);
    expect(waits.medianMs).toBeLessThan(50);
    expect(longestMs).toBeLessThan(50);
  }

  test("hosts of documents that never answer hold back nobody else", async () => {
    const before = await lab.sample();
    const statuses: number[] = [];
    await during(`${count} silent hosts`, async () => {
      const begun = Date.now();
      const all = Array.from({ length: count }, async (_, at) => {
        const { status } = await send(at, authorizePath(`https://h${at}.silent.example/client`));
        statuses.push(status);
      });
      await Promise.all(all);
      expect(Date.now() - begun).toBeLessThan(30_000);
    });
    const busy = statuses.filter((status) => status === 429).length;
    expect(statuses.filter((status) => status !== 429 && status !== 400)).toEqual([]);
    expect(count - busy).toBeGreaterThanOrEqual(50); // each of these was asked, and given up after 5 s
    expect(count - busy).toBeLessThanOrEqual(sized({ small: 200, full: 500 }));
    const after = await lab.sample();
    const heapKib = (after.heapBytes - before.heapBytes) / 1024;
    process.stdout.write(`  the heap has grown by ${heapKib.toFixed()} KiB\n`);
    expect(heapKib).toBeLessThan(8192);
    expect(after.connections.length - before.connections.length).toBe(count - busy);
    // A host that has not answered is left in peace for a minute, whatever the path.
    const again = await send(70_000, authorizePath("https://h0.silent.example/other"));
    expect([again.status, (await lab.sample()).connections.length]).toEqual([400, after.connections.length]);
    expect(await listClients()).toBe(0);
  });

  test("registrations of one network end at twenty, and of all at 10,000", async () => {
    const metadata = JSON.stringify({ redirect_uris: ["http://127.0.0.1/callback"] });
    const statuses: number[] = [];
    await during(`${count} registrations`, async () => {
      const all = Array.from({ length: count }, async (_, at) => {
        statuses.push((await send(100_000 + (at % 10), "/oauth/v2/register", metadata)).status);
      });
      await Promise.all(all);
    });
    expect(statuses.filter((status) => status === 201)).toHaveLength(200);
    expect(statuses.filter((status) => status === 429)).toHaveLength(count - 200);
  });
});

test("the service has no fault to tell of", () => expect(lab.faults()).toEqual([]));

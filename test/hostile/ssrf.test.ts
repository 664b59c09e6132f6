import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { refusalOf } from "../support/service.ts";
import { idOf, uniqueName, type World } from "../support/world.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";

let lab: Lab;
let world: World;
const canaries: Server[] = [];
let seen = 0;

beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
  await lab.setNames({
    "private.example": [["10.0.0.1"]],
    "metadata.example": [["169.254.169.254"]],
    "loopback.example": [["127.0.0.1"]],
    "six.example": [["::1"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "nat64.example": [["64:ff9b::7f00:1"]],
    "mixed.example": [["10.0.0.1", "127.0.0.1"]],
    "nobody.example": [[]],
    // Public when it is asked first, private from then on.
    "rebinding.example": [["93.184.215.14"], ["127.0.0.1"]],
  });
  for (const host of ["127.0.0.1", "::1"]) {
    const canary = createServer((socket) => {
      seen++;
      socket.destroy();
    });
    canary.listen(0, host);
    await once(canary, "listening");
    canaries.push(canary);
  }
});
afterAll(async () => {
  for (const canary of canaries) canary.close();
  await lab.discard();
});

function port(): number {
  const address = canaries[0]?.address();
  if (typeof address !== "object" || address === null) throw new Error("the canary listens on TCP");
  return address.port;
}

async function create(metadataUrl: string): Promise<Outcome> {
  return await lab.clients.json.call(
    ApplicationService.method.createSamlApplication,
    { projectId: world.projectId, name: uniqueName("App"), metadataUrl },
    { token: world.owner.token },
  );
}

const hosts = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.1.",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "a.localhost.",
  "loc\u00ADalhost",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "127%2e0%2e0%2e1",
  "0",
  "0.0.0.0",
  "0x0",
  "00",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "[::ffff:169.254.169.254]",
  "[fe80::1]",
  "[fd00:ec2::254]",
  "[fc00::1]",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[ff02::1]",
  "[2001:db8::1]",
];

describe("a URL that a caller gives for metadata", () => {
  test.each(hosts)("is forbidden with the host %s", async (host) => {
    expect(refusalOf(await create(`https://${host}:${port()}/metadata`))).toMatchObject({
      code: 3,
      reason: "URL_FORBIDDEN",
      fields: ["metadata_url"],
    });
  });

  test.each([
    "http://sp.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/xml,<a/>",
    "ftp://sp.example/",
    "gopher://127.0.0.1:1/_a",
    "https://user@sp.example/",
    "https://user:pass@sp.example/",
    "https://sp.example@127.0.0.1/",
    "ws://sp.example/",
    "blob:https://sp.example/a",
    "https:\\\\127.0.0.1\\",
    "https:127.0.0.1",
    "HTTPS://127.0.0.1/",
    "https://127.0.0.1\t/",
    "//127.0.0.1/",
    "https://",
    "https:///a",
    "127.0.0.1",
    "unix:/var/run/docker.sock",
    "jar:https://a!/b",
  ])("is refused as %j", async (url) => {
    expect(refusalOf(await create(url))).toMatchObject({ code: 3, fields: ["metadata_url"] });
  });

  test("reads alike whether its name does not resolve, resolves to nothing, or to where the service does not go", async () => {
    const answers = [];
    for (const name of [
      "absent",
      "nobody",
      "private",
      "metadata",
      "loopback",
      "six",
      "mapped",
      "nat64",
      "mixed",
    ]) {
      const outcome = await create(`https://${name}.example:${port()}/`);
      const { details: _details, appId: _appId, ...rest } = outcome.kind === "answer" ? outcome.json : {};
      answers.push({ kind: outcome.kind, ...rest });
    }
    expect(answers).toEqual(answers.map(() => ({ kind: "answer", entityId: "" })));
  });

  test("is resolved once for each connection, to the address that was judged", async () => {
    await create("https://rebinding.example/");
    await create("https://rebinding.example/");
    const { connections, lookups } = await lab.sample();
    expect(lookups.filter((name) => name === "rebinding.example")).toHaveLength(2);
    // The public address was tried (the probe refuses it); the private one, which the second question got, was not.
    expect(connections).toEqual(
      ["rebinding.example:443"]
        .filter((each) => connections.includes(each))
        .concat(connections.filter((each) => each.startsWith("93.184.215.14"))),
    );
    expect(connections).toHaveLength(1);
  });
});

describe("URLs of identity providers", () => {
  test("are refused with a private address, and never fetched when they are stored", async () => {
    const before = await lab.sample();
    const url = `https://loopback.example:${port()}/`;
    const { token } = world.owner;
    const jwt = { jwtEndpoint: url, keysEndpoint: url, issuer: url, headerName: "x-jwt" };
    const added = await lab.call(
      IdentityProviderService.method.addJwtIdentityProvider,
      { name: uniqueName("J"), ...jwt },
      token,
    );
    const oidc = { name: uniqueName("O"), clientId: "c", clientSecret: "s", issuer: url, scopes: [] };
    await lab.call(IdentityProviderService.method.addOidcIdentityProvider, oidc, token);
    const literal = { ...oidc, name: uniqueName("O"), issuer: `https://127.0.0.1:${port()}` };
    await expect(
      lab.call(IdentityProviderService.method.addOidcIdentityProvider, literal, token),
    ).rejects.toThrow("URL_FORBIDDEN");
    await lab.call(
      IdentityProviderService.method.updateJwtIdentityProvider,
      { idpId: idOf(added, "idpId"), ...jwt },
      token,
    );
    const after = await lab.sample();
    expect([after.connections, after.lookups]).toEqual([before.connections, before.lookups]);
  });
});

describe("phone numbers", () => {
  test.each([
    "+41791234567;phone-context=127.0.0.1",
    "tel:+41791234567",
    "https://127.0.0.1/",
    "+41 79 123 45 67\r\nTo: +1",
    "+0",
    "$(id)",
  ])("that are something else are no address for a message: %j", async (phone) => {
    const before = await lab.sample();
    const outcome = await lab.clients.json.call(
      UserService.method.setPhone,
      { userId: world.userId, phone, verification: { case: "sendCode", value: {} } },
      { token: world.owner.token },
    );
    expect(["error", "answer"]).toContain(outcome.kind);
    expect((await lab.sample()).connections).toEqual(before.connections);
  });
});

test("the listeners on loopback have seen no connection", () => {
  expect(seen).toBe(0);
  expect(lab.faults()).toEqual([]);
});

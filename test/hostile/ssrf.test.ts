import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
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

// Every way to write such a host is in `test/kernel/outbound/guarded-fetch.test.ts`.
const hosts = ["127.0.0.1", "2130706433", "localhost", "[::ffff:7f00:1]", "169.254.169.254", "10.0.0.1"];

describe("a URL that a caller gives for metadata", () => {
  test.each(hosts)("is forbidden with the host %s", async (host) => {
    expect(refusalOf(await create(`https://${host}:${port()}/metadata`))).toMatchObject({
      code: 3,
      reason: "URL_FORBIDDEN",
      fields: ["metadata_url"],
    });
  });

  test.each(["http://sp.example/", "file:///etc/passwd", "https://sp.example@127.0.0.1/", "//127.0.0.1/"])(
    "is refused as %j",
    async (url) => {
      expect(refusalOf(await create(url))).toMatchObject({ code: 3, fields: ["metadata_url"] });
    },
  );

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

test("the listeners on loopback have seen no connection", () => {
  expect(seen).toBe(0);
  expect(lab.faults()).toEqual([]);
});

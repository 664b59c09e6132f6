import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SigningKeyUse } from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { createLoginPlace } from "../../sites/oidc/support/login-place.ts";
import { addScriptedParty, originOf, type SamlService } from "../../sites/saml/support/scripted-party.ts";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../support/clients.ts";
import { createTestClock } from "../../support/clock.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { answerOf } from "../../support/service.ts";
import { shareServer, type TestDatabases } from "../connect/support/cluster.ts";
import { type Services, startServices } from "../faults/support/services.ts";
import { publishedAt, requireSigner } from "./support/saml-signer.ts";

// `saml-keys.test.ts` has the rules, on two services in the process of the test. Here each one is a process of the system, as in production.

const port = 4714;
const cleanups: (() => void)[] = [];
let cluster: TestDatabases;
let services: Services;
beforeAll(async () => {
  cluster = shareServer();
  const database = await cluster.makeDatabase();
  const args = ["--issuer", originOf({ port })];
  services = await startServices({ databases: [database, database], args });
}, 120_000);
afterAll(async () => {
  for (const cleanup of cleanups) cleanup();
  await services.remove();
  await cluster.close();
});

function open(index: number): SamlService {
  const { url } = services.process(index);
  const clients = Object.fromEntries(lanes.map((lane) => [lane, createLaneClient(lane, url)])) as Record<
    Lane,
    LaneClient
  >; // one for each lane
  const http = createHttpClient(url);
  cleanups.push(http.close, ...Object.values(clients).map((client) => () => client.close()));
  return {
    port,
    clock: createTestClock(Date.now()),
    http,
    adminToken: services.token,
    clients,
    call: async (method, request, token = services.token) =>
      answerOf(await clients.json.call(method, request, { token })),
  };
}

test("a key that is rotated at one process of the system is published, and then signs, at the other one", async () => {
  const [one, other] = [open(0), open(1)];
  const rotate = (revokeOld: boolean) =>
    one.call(SigningKeyService.method.rotateSigningKeys, { use: SigningKeyUse.SAML, revokeOld });
  const party = await addScriptedParty(one, await createLoginPlace(one));
  const [first = "", ...others] = await publishedAt(other);
  expect(others).toEqual([]);
  await requireSigner(party, other, first);

  await rotate(false);
  const [active, next = ""] = await publishedAt(other);
  expect([active, await publishedAt(one)]).toEqual([first, [first, next]]);
  await requireSigner(party, other, first); // the next one does not sign yet

  await rotate(true); // without the day that the next one is published before
  await requireSigner(party, other, next);
  await expect(requireSigner(party, other, first)).rejects.toThrow("invalid signature");
  expect([await publishedAt(other), await publishedAt(one)]).toEqual([[next], [next]]);
  expect(await services.stop()).toEqual([0, 0]);
});

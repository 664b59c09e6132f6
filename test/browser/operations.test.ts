import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { operations, prepare } from "../demo/operations.ts";
import { createCertificate } from "../kernel/outbound/certificate.ts";
import type { Outcome } from "../support/clients.ts";
import { listMethods, ruleOf } from "../support/methods.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { pageClients } from "./page/protocol.ts";
import { addKey, credentialOf, removeKey } from "./support/authenticator.ts";
import { type Caller, createPageCaller, toDemoClient } from "./support/callers.ts";
import { usePage, useStage } from "./support/stage.ts";
import type { Visit } from "./support/visit.ts";

const stage = useStage();
const methods = await listMethods();

const users = "gatehouse.v1.UserService";
const organizations = "gatehouse.v1.OrganizationService";

/** Performs the eight operations one after the other, and returns how each ended. */
async function performAll(name: string, call: Caller, visit: Visit): Promise<ReadonlyMap<string, Outcome>> {
  const authenticatorId = await addKey(visit.devTools, { protocol: "ctap2" });
  const prepared = await prepare(toDemoClient(name, call));
  const options = prepared.creationOptions.publicKey as unknown as JsonObject; // as the answer had it
  const publicKeyCredential = credentialOf(await visit.run("createCredential", options));
  await removeKey(visit.devTools, authenticatorId);
  const outcomes = new Map<string, Outcome>();
  for (const { service, rpc, request } of operations) {
    const plain = { ...(await request(prepared)) } as JsonObject; // the demo sends protobuf JSON
    // The demo's key is made in software; here the browser has one.
    const full = rpc === "VerifyU2f" ? { ...plain, publicKeyCredential } : plain;
    outcomes.set(rpc, await call(service, rpc, full));
  }
  return outcomes;
}

const deprecated = { deprecation: "@1767225600", link: '</v1/idps>; rel="successor-version"' };
const current = { deprecation: null, link: null };

function lifecycleOf({ headers }: Outcome) {
  return { deprecation: headers.get("deprecation"), link: headers.get("link") };
}

function expectAllPerformed(outcomes: ReadonlyMap<string, Outcome>): void {
  expect(outcomes.size).toBe(8);
  for (const { rpc, service, alsoAnswers, hasCreationDate } of operations) {
    const outcome = outcomes.get(rpc)!;
    const answer = answerOf(outcome);
    const details = {
      sequence: expect.stringMatching(/^[1-9]\d*$/),
      changeDate: expect.stringMatching(/^\d{4}-.*Z$/),
      resourceOwner: expect.stringMatching(/^\d+$/),
    };
    const creationDate = expect.stringMatching(/^\d{4}-.*Z$/);
    expect([rpc, answer["details"]]).toEqual([rpc, hasCreationDate ? { ...details, creationDate } : details]);
    const empty = alsoAnswers.filter((field) => typeof answer[field] !== "string" || answer[field] === "");
    expect([rpc, empty]).toEqual([rpc, []]);
    const method = methods.find(({ name, parent }) => name === rpc && parent.typeName === service)!;
    expect([rpc, lifecycleOf(outcome)]).toEqual([rpc, method.deprecated ? deprecated : current]);
    expect(outcome.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  }
}

describe.each(pageClients)("a page of another origin, through %s,", (client) => {
  const page = usePage(stage);
  const call: Caller = (...input) => createPageCaller(page(), stage().service, client)(...input);

  test("performs the eight operations", async () => {
    expectAllPerformed(await performAll(client, call, page()));
    expect([...page().protocols()]).toEqual(["http/1.1"]);
  });

  test("sees every broken rule in the details of an error", async () => {
    const request = { name: " " };
    const outcome = await call("gatehouse.v1.IdentityProviderService", "AddOidcIdentityProvider", request);
    const type = "type.googleapis.com/google.rpc.";
    expect(outcome).toMatchObject({
      kind: "error",
      status: {
        code: 3,
        details: [
          { "@type": `${type}ErrorInfo`, reason: "FIELD_INVALID", domain: "gatehouse" },
          { "@type": `${type}BadRequest` },
        ],
      },
    });
    expect(refusalOf(outcome).fields).toEqual(["client_id", "client_secret", "issuer", "name"]);
    expect(lifecycleOf(outcome)).toEqual(deprecated);
  });

  test("reads names and messages outside of ASCII as they are", async () => {
    const name = `Zoë %20 名 😀 ${client}`;
    const added = await call(organizations, "AddOrganization", { name });
    const again = await call(organizations, "AddOrganization", { name });
    expect(added.kind).toBe("answer");
    expect(refusalOf(again)).toMatchObject({ code: 6, resource: "organization" });
    expect(refusalOf(again).message).toContain(`"${name}"`);
  });

  test("chooses the organization by x-service-orgid", async () => {
    const added = await call(organizations, "AddOrganization", { name: `Of ${client}` });
    const { organizationId } = answerOf(added);
    const headers = { "x-service-orgid": organizationId as string };
    const project = await call("gatehouse.v1.ProjectService", "AddProject", { name: "Site" }, { headers });
    expect(answerOf(project)["details"]).toMatchObject({ resourceOwner: organizationId });
  });

  test("is refused by every operation without a token, and can read why", async () => {
    const closed = methods.filter((method) => ruleOf(method) !== undefined);
    expect(closed.length).toBeGreaterThan(8);
    const outcomes = await Promise.all(
      closed.map(({ name, parent }) => call(parent.typeName, name, {}, { token: "" })),
    );
    const seen = outcomes.map((outcome, index) => [
      closed[index]!.name,
      outcome.kind === "error" && [outcome.status.code, outcome.status.details],
      outcome.headers.get("www-authenticate"),
      lifecycleOf(outcome),
    ]);
    const type = "type.googleapis.com/google.rpc.ErrorInfo";
    const info = { "@type": type, reason: "TOKEN_MISSING", domain: "gatehouse" };
    expect(seen).toEqual(
      closed.map((method) => [
        method.name,
        [16, [info]],
        'Bearer realm="gatehouse"',
        method.deprecated ? deprecated : current,
      ]),
    );
  });

  test("is told of a token that is not valid", async () => {
    const outcome = await call(users, "GetMyUser", {}, { token: "nonsense" });
    expect(refusalOf(outcome)).toMatchObject({ code: 16, reason: "TOKEN_INVALID" });
    expect(outcome.headers.get("www-authenticate")).toBe('Bearer realm="gatehouse", error="invalid_token"');
  });
});

describe("a page that watches events through the gRPC-web runtime", () => {
  const page = usePage(stage);
  const watch = (token: string, count: number) =>
    page().run("stream", {
      url: stage().service.url,
      service: "gatehouse.v1.EventService",
      rpc: "WatchEvents",
      request: { eventType: "organization.added" },
      headers: token === "" ? {} : { authorization: `Bearer ${token}` },
      count,
    });

  test("sees each as it happens, while the stream goes on", async () => {
    const { service } = stage();
    const call = createPageCaller(page(), service, "grpc-web in text");
    const added: unknown[] = [];
    // Nothing says when the watch has begun, so organizations are added until it has seen two.
    const state = { isOver: false };
    const add = async () => {
      while (!state.isOver && added.length < 500) {
        const name = `Watched ${added.length}`;
        added.push(answerOf(await call(organizations, "AddOrganization", { name }))["organizationId"]);
      }
    };
    const see = async () => {
      const outcome = await watch(service.adminToken, 2);
      state.isOver = true;
      return outcome;
    };
    const [{ answers, ended }] = await Promise.all([see(), add()]);
    expect(ended).toBeUndefined();
    const seen = answers.map(({ event }) => (event as JsonObject)["aggregateId"]); // each answer has an event
    expect(seen.length).toBeGreaterThanOrEqual(2); // one piece of the answer may hold several
    const first = added.indexOf(seen[0]);
    expect([first >= 0, added[first + 1]]).toEqual([true, seen[1]]);
  });

  test("is told why not, without a token", async () => {
    expect(await watch("", 1)).toMatchObject({
      answers: [],
      ended: { code: 16, details: [{ reason: "TOKEN_MISSING" }] },
    });
  });
});

describe("over TLS", () => {
  const folder = makeTemporaryFolder();
  let secure: TestService;
  beforeAll(async () => {
    const certificate = createCertificate(["127.0.0.1"]);
    const files = { cert: join(folder.path, "cert.pem"), key: join(folder.path, "key.pem") };
    writeFileSync(files.cert, certificate.cert);
    writeFileSync(files.key, certificate.key);
    secure = await startService({
      "tls-cert": files.cert,
      "tls-key": files.key,
      "cors-origins": stage().home.origin,
      "rp-ids": "localhost",
      "rp-origins": stage().home.origin,
    });
  });
  afterAll(async () => {
    await secure.stop();
    folder.remove();
  });

  const page = usePage(stage, { takesAnyCertificate: true });

  test.each(pageClients)("the eight operations go through %s on HTTP/2", async (client) => {
    const call = createPageCaller(page(), secure, client);
    expectAllPerformed(await performAll(client, call, page()));
    // The page itself comes over HTTP/1.1.
    expect([...page().protocols()].toSorted()).toEqual(["h2", "http/1.1"]);
  });
});

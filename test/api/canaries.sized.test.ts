import { describe, expect, test } from "@jest/globals";
import {
  create,
  type DescMessage,
  getOption,
  type JsonObject,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { join } from "node:path";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ServerReflectionRequestSchema } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { sensitive } from "../../gen/gatehouse/v1/sensitive_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries, secretsAnswered } from "../support/canaries.ts";
import { type Lane, lanes } from "../support/clients.ts";
import { engine } from "../support/engine/engine.ts";
import { parseLog } from "../support/process.ts";
import { startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createHumanUser, createWorld, idOf, jwtConfig, nextPhone, uniqueName } from "../support/world.ts";
import { layGround } from "./support/ground.ts";
import { listMethods, listServices } from "../support/methods.ts";
import { type EveryLane, everyLane, openLanes } from "./support/lanes.ts";
import { operations } from "./support/stage.ts";
import { send } from "./support/wire.ts";

const protocols = ["json", "grpc", "grpc-web"] as const;
type Protocol = (typeof protocols)[number];
const providers = IdentityProviderService.method;
const users = UserService.method;

/** Returns a secret that nothing else is. */
function newSecret(name: string): string {
  const secret = `canary-${randomBytes(12).toString("hex")}`;
  canaries.add(name, secret);
  return secret;
}

function oidcWith(clientSecret: string) {
  return { name: uniqueName("OIDC"), clientId: "client", clientSecret, issuer: "https://idp.example.com" };
}

/** Runs the test with a service, and then looks through everything that the service left: `stop` does that. */
async function withService(run: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startService({ dev: true });
  try {
    await run(service);
  } catch (error) {
    await service.stop().catch(() => {}); // the failure of the test says more
    throw error;
  }
  await service.stop();
}

describe("no secret is in logs, errors, events, metrics, OpenAPI, nor in clear in the files, after", () => {
  test("the eight operations on every content type, and each of them with wrong tokens", async () => {
    await withService(async (service) => {
      for (const lane of sized<readonly Lane[]>({ small: ["grpc"], full: lanes })) {
        const ground = await layGround(service, lane);
        for (const operation of operations) {
          const request = operation.request(ground);
          const refused = await service.clients[lane].call(operation.method, request, {
            token: `${ground.ownerToken}x`,
          });
          expect(refused.kind).toBe("error");
          expect((await ground.call(operation.method, request)).kind).toBe("answer");
          await ground.call(operation.method, request); // what can be done only once fails
        }
      }
      expect(canaries.list().filter(({ name }) => name === "token").length).toBeGreaterThan(
        sized({ small: 2, full: 8 }),
      );
      expect(canaries.list().filter(({ kind }) => kind === "code").length).toBeGreaterThan(
        sized({ small: 0, full: 3 }),
      );
    });
  });

  test("fields, headers, paths and queries that hold a secret where it does not belong", async () => {
    await withService(async (service) => {
      const { userId } = await createWorld(service);
      const token = idOf(await service.call(users.addPersonalAccessToken, { userId }), "token");
      const calls = openLanes(service);
      for (const lane of everyLane) await misplace(service, { lane, call: calls[lane], token, userId });
      for (const [index, { parent, name }] of (await listMethods()).entries()) {
        const path = `/${parent.typeName}/${name}`;
        const bodies = brokenBodies(newSecret("secret in JSON that cannot be read"));
        // Some of them for each rpc, and others for the next one, or all.
        const turns = sized({ small: Math.ceil(bodies.length / 2), full: 1 });
        for (const body of bodies.filter((_body, at) => (at + index) % turns === 0)) {
          for (const protocol of sized<readonly Protocol[]>({ small: ["json"], full: protocols }))
            expect((await send(service, protocol, { path, body })).status).toBeDefined();
        }
      }
      expect(parseLog(service.log()).length).toBeGreaterThan(200);
    });
  });

  test("a secret as a name or an id, which only its sender gets back", async () => {
    await withService(async (service) => {
      const headers = { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json" };
      const secret = newSecret("secret in the place of a name");
      const body = `{"${secret}":1}`;
      const requests: readonly [string, RequestInit][] = [
        [`/v1/users/${secret}`, {}],
        [`/v1/projects?${secret}=1`, {}],
        [`/v1/projects?page_token=${secret}`, {}],
        [`/${secret}`, {}],
        ["/v1/projects", { method: "POST", body }],
        ["/v1/projects", { method: "POST", body: `{"name":"n","privateLabelingSetting":"${secret}"}` }],
        ["/v1/projects", { headers: { ...headers, "x-service-orgid": secret } }],
        ["/v1/projects", { headers: { ...headers, cookie: secret, referer: `https://a/?${secret}` } }],
      ];
      for (const [path, init] of requests) {
        const response = await fetch(service.url + path, { headers, ...init });
        await response.text(); // not kept: the sender may see what they sent
      }
      const socket = connect(service.port, "127.0.0.1");
      socket.end(`GET /${secret} HTTP/1.1\r\nhost: ${secret}@x\r\nauthorization: ${secret}\r\n\r\n`);
      expect(await readText(socket)).toContain("400");
      expect(parseLog(service.log()).length).toBeGreaterThan(requests.length);
    });
  });

  test("URLs with a password, which are refused without it", async () => {
    await withService(async (service) => {
      const { projectId, idpId, organizationId } = await createWorld(service);
      const password = newSecret("password of a URL");
      const url = `https://user:${password}@idp.example.com/`;
      const options = { token: service.adminToken, headers: { "x-service-orgid": organizationId } };
      for (const call of Object.values(openLanes(service))) {
        const outcomes = [
          await call(
            providers.addJwtIdentityProvider,
            { ...jwtConfig, name: "n", jwtEndpoint: url },
            options,
          ),
          await call(
            providers.updateJwtIdentityProvider,
            { idpId, ...jwtConfig, keysEndpoint: url },
            options,
          ),
          await call(providers.addOidcIdentityProvider, { ...oidcWith("s"), issuer: url }, options),
          await call(
            ApplicationService.method.createSamlApplication,
            { projectId, name: "n", metadataUrl: url },
            options,
          ),
        ];
        expect(outcomes.map(({ kind }) => kind)).toEqual(["error", "error", "error", "error"]);
      }
    });
  });

  test("a call that fails inside, whose cause is in the log", async () => {
    await withService(async (service) => {
      const { organizationId } = await createWorld(service);
      const headers = { "x-service-orgid": organizationId };
      const rename = (from: string, to: string) =>
        service.place.raw.damage(`ALTER TABLE ${from} RENAME TO ${to}`);
      await rename("identity_providers", "gone");
      for (const call of Object.values(openLanes(service))) {
        const request = oidcWith(newSecret("client secret"));
        const outcome = await call(providers.addOidcIdentityProvider, request, {
          token: service.adminToken,
          headers,
        });
        expect(outcome).toMatchObject({ kind: "error", status: { code: 13 } });
      }
      await rename("gone", "identity_providers");
      const failed = parseLog(service.log()).filter(({ msg }) => msg === "call.failed");
      expect(failed).toHaveLength(everyLane.length);
      expect(JSON.stringify(failed)).toMatch(engine.words.noSuchTable);
    });
  });

  test("reflection, which answers with descriptors only", async () => {
    await withService(async (service) => {
      await createWorld(service);
      const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
      const ask = async (
        messageRequest: MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"],
      ) => {
        const message = create(ServerReflectionRequestSchema, { messageRequest });
        return (await send(service, "grpc", { path, body: toBinary(ServerReflectionRequestSchema, message) }))
          .text;
      };
      const services = await listServices();
      const answers = [await ask({ case: "listServices", value: "" })];
      for (const { typeName } of services)
        answers.push(await ask({ case: "fileContainingSymbol", value: typeName }));
      for (const { typeName } of services) expect(answers[0]).toContain(typeName);
      for (const answer of answers) canaries.noteReceived(answer);
      expect(answers.join("").length).toBeGreaterThan(20_000);
    });
  });
});

interface Misplaced {
  readonly lane: EveryLane;
  readonly call: ReturnType<typeof openLanes>[EveryLane];
  readonly token: string;
  readonly userId: string;
}

/** Sends secrets in fields that are not for them. Each call is refused. */
async function misplace(service: TestService, { call, token, userId }: Misplaced): Promise<void> {
  const as = { token: service.adminToken };
  const secret = newSecret("client_secret");
  const credential: JsonObject = {
    id: token,
    rawId: token,
    type: token,
    response: { clientDataJSON: token },
  };
  const u2fId = idOf(await service.call(users.registerU2f, { userId }), "u2fId");
  const outcomes = [
    await call(providers.addOidcIdentityProvider, { ...oidcWith(secret.repeat(9)) }, as),
    await call(providers.addOidcIdentityProvider, { ...oidcWith(secret), issuer: `no URL ${secret}` }, as),
    await call(providers.addOidcIdentityProvider, { ...oidcWith(secret), scopes: [`${secret} \n`] }, as),
    await call(users.verifyPhone, { userId, verificationCode: token }, as),
    await call(users.verifyPhone, { userId, verificationCode: token.slice(-20) }, as),
    await call(
      users.setPhone,
      { userId, phone: `+41${token}`, verification: { case: "sendCode", value: {} } },
      as,
    ),
    await call(ProjectService.method.listProjects, { pageToken: token }, as),
    await call(users.verifyU2f, { userId, u2fId, publicKeyCredential: credential, tokenName: "n" }, as),
    await call(users.getMyUser, {}, { headers: { authorization: `Basic ${token}` } }),
    await call(users.getMyUser, {}, { headers: { authorization: `Bearer ${token} ${token}` } }),
    await call(users.getMyUser, {}, { token: `${token}x` }),
    await call(users.getMyUser, {}, { ...as, headers: { "if-match": token } }),
    await call(users.getMyUser, {}, { ...as, headers: { "content-encoding": token } }),
  ];
  expect(outcomes.slice(0, -1).map(({ kind }) => kind)).toEqual(
    outcomes.slice(0, -1).map(() => "error" as const),
  );
}

/**
 * Returns bodies that no parser takes, each broken next to the secret. As a message of Protocol Buffers each of them has a field
 * that ends beyond the body, because a letter behind a quote is its length: a secret alone is a message now and then.
 */
function brokenBodies(secret: string): readonly string[] {
  return [
    `{"name":"${secret}`,
    `{"name":"${secret}",}`,
    `["${secret}"`,
    `"${secret}`,
    `{"name":"${secret}"} ${secret}`,
  ];
}

describe("the scan finds", () => {
  /** Starts a service, lets a secret pass through a client, plants it, and returns what `stop` says. */
  async function plant(
    put: (service: TestService, secret: string, organizationId: string) => Promise<void>,
  ): Promise<string> {
    const service = await startService({ dev: true });
    const { organizationId } = await createWorld(service);
    const secret = `canary-${randomBytes(12).toString("hex")}`;
    const headers = { "x-service-orgid": organizationId };
    await service.clients.json.call(providers.addOidcIdentityProvider, oidcWith(secret), {
      token: service.adminToken,
      headers,
    });
    await put(service, secret, organizationId);
    return await service.stop().then(
      () => "no leak",
      (error: unknown) => (error as Error).message,
    );
  }

  test("whatever is planted where no secret may be", async () => {
    const said = await plant(async (service, secret, organizationId) => {
      const phone = nextPhone();
      const userId = await createHumanUser(service, organizationId);
      const verification = { case: "returnCode" as const, value: {} };
      const set = await service.call(users.setPhone, { userId, phone, verification });
      const { damage } = service.place.raw;
      const code = JSON.stringify({ code: idOf(set, "verificationCode") });
      const payload = "UPDATE events SET payload = ? WHERE type = ?";
      await damage("UPDATE identity_providers SET name = ? WHERE name LIKE 'OIDC%'", [`x ${secret}`]);
      await damage(payload, [JSON.stringify({ a: secret }), "user.added"]);
      await damage(payload, [code, "user.phone.set"]);
      const leaked = { token: service.adminToken, phone: `tel:${phone}`, who: "Lovelace" };
      service.logger.info(leaked, "leak");
      const [, key = ""] = readFileSync(join(service.dataFolder, "master.key"), "utf8").trim().split(" ");
      const hex = Buffer.from(key, "base64").toString("hex");
      writeFileSync(join(service.dataFolder, "core.dump"), `\0\0${hex}`);
      canaries.noteReceived(`{"message":"${secret} is wrong"}`);
    });
    for (const leak of [
      "client_secret in the table identity_providers",
      "client_secret in the table events",
      "phone code in the table events",
      "token in the log",
      "secret part of a token in the log",
      "phone in the log",
      "family_name in the log",
      "master key in core.dump",
      "client_secret in an answer or an error",
    ])
      expect(said).toContain(leak);
  });

  test("a client secret in the file of the database, one that was deleted again too", async () => {
    const said = await plant(async ({ place }, secret) => {
      await place.raw.damage("INSERT INTO settings (name, value) VALUES (?, ?)", ["canary", secret]);
      await place.raw.damage("DELETE FROM settings WHERE name = ?", ["canary"]);
    });
    expect(said).toContain("client_secret in gatehouse.db");
  });
});

test("the fields that answer a secret are marked as secret in the protos, also inside of the results of a batch", async () => {
  const methods = await listMethods();
  const marked = methods.flatMap(({ name, output }) => markedIn(output).map((path) => `${name}.${path}`));
  const listed = Object.entries(secretsAnswered).flatMap(([name, fields]) =>
    fields.map((field) => `${name}.${field}`),
  );
  expect(marked.toSorted()).toEqual([...listed, ...neverAnswered].toSorted());
});

/** Fields of requests that are fields of answers, too, where they stay empty: the scans above would find what was in them. */
const secretsOfProviders = ["oidc", "google", "entra", "github", "gitlab"]
  .map((kind) => `${kind}.clientSecret`)
  .concat("ldap.bindPassword", "apple.privateKey");
const neverAnswered = ["GetIdentityProvider.identityProvider", "ListIdentityProviders.identityProviders"]
  .flatMap((provider) => secretsOfProviders.map((secret) => `${provider}.${secret}`))
  .concat("Write.results.addHumanUser.verificationCode"); // no item of a batch asks for it

/** Returns the paths of the fields that are marked as secret, at every depth. */
function markedIn(message: DescMessage): readonly string[] {
  return message.fields.flatMap((field): readonly string[] => {
    if (getOption(field, sensitive)) return [field.jsonName];
    if (field.message?.typeName.startsWith("gatehouse.") !== true) return [];
    return markedIn(field.message).map((path) => `${field.jsonName}.${path}`);
  });
}

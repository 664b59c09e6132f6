// What the OpenAPI document says, held against what the service does: every constraint is enforced, and every answer is as it
// is described. Both are read out of the document, so that a new rpc is in it by itself.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { createHttpClient, type HttpAnswer, type HttpClient } from "../support/http-client.ts";
import { someOf } from "../support/size.ts";
import { startService, type TestService } from "../support/service.ts";
import { jwtConfig } from "../support/world.ts";
import { changing, listRpcsOf, prepare } from "./support/condition-rpcs.ts";
import { createProber, type Loose, type Prober, type Probe } from "./support/document-probes.ts";
import { violationsOf } from "./support/lanes.ts";
import { createTenancyWorld, type TenancyWorld } from "./support/tenancy-world.ts";

const rpcs = someOf(await listRpcsOf(Effect.READ, ...changing), ["VerifyU2f", "BulkAddProjectRoles"]);

let service: TestService;
let world: TenancyWorld;
let client: HttpClient;
let document: Loose;
let ajv: Ajv2020;
let prober: Prober;
/** How many requests were held against the document. */
let probed = 0;
beforeAll(async () => {
  service = await startService({ dev: true }); // metadata may lie at loopback
  world = await createTenancyWorld(service);
  client = createHttpClient(service.url);
  const { text } = await client.send({ method: "GET", path: "/openapi.json", headers: {} });
  document = JSON.parse(text.replaceAll('"$ref":"#', '"$ref":"document#'));
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat("uint64", /^\d{1,20}$/).addFormat("int64", /^-?\d{1,19}$/);
  ajv.addSchema(document, "document");
  prober = createProber(resolve, (schema, value) => ajv.validate(schema, value));
});
afterAll(async () => {
  client.close();
  await service.stop();
});

function resolve(schema: Loose): Loose {
  if (schema.$ref !== undefined) return document.components.schemas[schema.$ref.split("/").at(-1)];
  const [first, ...more] = schema.allOf ?? [];
  if (first?.$ref === undefined) return schema;
  const full = structuredClone(resolve(first));
  for (const { required = [], properties = {}, not } of more) {
    if (not !== undefined) full.enum = full.enum.filter((name: string) => !not.enum.includes(name));
    if (required.length > 0) full.required = [...new Set([...(full.required ?? []), ...required])];
    for (const [name, further] of Object.entries<Loose>(properties))
      Object.assign(full.properties[name], further);
  }
  return full;
}

type Described = ReturnType<typeof operationOf>;

/** Returns the main path of an rpc as the document has it. */
function operationOf(service_: string, rpc: string) {
  for (const [path, verbs] of Object.entries<Loose>(document.paths))
    for (const [verb, operation] of Object.entries<Loose>(verbs))
      if (operation.operationId === `${service_}_${rpc}`)
        return { path, verb, operation, schema: requestOf(operation) };
  throw new Error(`the document has no ${rpc}`);
}

/** Returns the schema of everything that a request holds, wherever it goes. */
function requestOf({ parameters = [], requestBody }: Loose): Loose {
  const sent = parameters.filter((each: Loose) => each.in !== "header");
  const body = requestBody?.content["application/json"].schema ?? {
    type: "object",
    additionalProperties: false,
  };
  const properties = Object.fromEntries(
    sent.map((each: Loose) => [camel(each.name), { ...each.schema, place: each.in }]),
  );
  const required = sent.filter((each: Loose) => each.required).map((each: Loose) => camel(each.name));
  return {
    ...body,
    properties: { ...properties, ...body.properties },
    required: [...required, ...(body.required ?? [])],
  };
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

async function send(
  { path, verb, operation }: Described,
  request: JsonObject,
  headers: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const rest = { ...request };
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = rest[camel(name)] ?? "";
    delete rest[camel(name)];
    return encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
  });
  if (operation.requestBody !== undefined) {
    const ofBody = { ...headers, "content-type": "application/json" };
    return await client.send({
      method: verb.toUpperCase(),
      path: target,
      headers: ofBody,
      body: JSON.stringify(rest),
    });
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest))
    query.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return await client.send({ method: verb.toUpperCase(), path: `${target}?${query.toString()}`, headers });
}

function headersOf(options: {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}) {
  return { authorization: `Bearer ${options.token}`, ...options.headers };
}

/** Says what is wrong with an answer by the document; undefined when nothing is. */
function faultOf({ operation }: Described, { status, text }: HttpAnswer): string | undefined {
  if (status !== 200) return `${status} ${text}`;
  const { schema } = operation.responses["200"].content["application/json"];
  const validate = ajv.compile(schema);
  return validate(JSON.parse(text)) ? undefined : `${ajv.errorsText(validate.errors)} in ${text}`;
}

describe("what the document says of answers", () => {
  test.each(rpcs)("holds for %s, also if it is only tried or repeated", async (name, rpc) => {
    const ready = await prepare(world, rpc);
    const described = operationOf(rpc.method.parent.name, rpc.method.name);
    const headers = headersOf(ready.options);
    const key = { "idempotency-key": name };
    const faults = [];
    for (const further of [{ "x-service-validate-only": "true" }, key, key])
      faults.push(faultOf(described, await send(described, ready.request, { ...headers, ...further })));
    expect(faults).toEqual([undefined, undefined, undefined]);
  });

  test("holds for a batch of which an item fails", async () => {
    const described = operationOf("BatchService", "Write");
    const request = { items: [{ removeProject: { id: "1" } }], allowPartialSuccess: true };
    const answer = await send(described, request, headersOf({ token: service.adminToken }));
    expect(faultOf(described, answer)).toBeUndefined();
    expect(JSON.parse(answer.text).results).toMatchObject([{ error: { code: 5 } }]);
  });
});

afterAll(() => {
  process.stdout.write(`${probed} requests were held against the document\n`);
});

/** Other requests of an rpc that are taken, for what the one that is prepared does not have. */
const others: Readonly<Record<string, (request: JsonObject) => readonly Loose[]>> = {
  CreateIdentityProvider: ({ jwt: _jwt, oidc: _oidc, saml: _saml, ...request }) => [
    { ...request, google: { clientId: "a", clientSecret: "b" } },
    {
      ...request,
      entra: {
        clientId: "a",
        clientSecret: "b",
        tenants: ["*"],
        baseUrl: "https://login.microsoftonline.us",
      },
    },
    { ...request, gitlab: { clientId: "a", clientSecret: "b", baseUrl: "https://git.example.com/gitlab" } },
    { ...request, jwt: { ...jwtConfig, audiences: ["one"] } },
    {
      ...request,
      oidc: { clientId: "a", clientSecret: "b", issuer: "https://idp.example", scopes: ["openid"] },
    },
    { ...request, saml: { entityId: "https://idp.example", metadataUrl: "https://idp.example/metadata" } },
  ],
  CreateSamlApplication: ({ metadataXml: _xml, ...request }) => [
    { ...request, metadataUrl: "http://127.0.0.1:1/metadata" },
  ],
  Write: () => [
    {
      items: [
        { bulkId: "a", addProject: { name: "Of a batch" } },
        { addProjectRole: { projectId: "bulkId:a", roleKey: "reader" } },
      ],
    },
    { items: [{ updateProject: { id: world.objects.own.project, name: "Of a batch" } }] },
  ],
};

describe("what the document says of requests", () => {
  test.each(rpcs)("holds for %s", async (_name, rpc) => {
    const ready = await prepare(world, rpc);
    const described = operationOf(rpc.method.parent.name, rpc.method.name);
    const headers = { ...headersOf(ready.options), "x-service-validate-only": "true" };
    const first = toJson(rpc.method.input, fromJson(rpc.method.input, ready.request)) as JsonObject; // in the names of JSON
    const requests = [first, ...(others[rpc.method.name]?.(first) ?? [])];
    const wrong = [];
    for (const request of requests) wrong.push(...(await findWrong(described, request, headers)));
    expect(wrong).toEqual([]);
  });
});

/** Returns what the document says and the service does not do, or does and it does not say. */
async function findWrong(
  described: Described,
  request: JsonObject,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { status, text } = await send(described, request, headers);
  if (status !== 200 || !ajv.validate(described.schema, request))
    return [`${JSON.stringify(request)} must be taken: ${text}, ${ajv.errorsText()}`];
  const wrong: string[] = [];
  for (const probe of prober.probesOf(described.schema, request)) {
    const answer = await send(described, probe.request, headers);
    probed++;
    if (isRefused(answer, probe) !== probe.isRefused)
      wrong.push(
        `${probe.what} must ${probe.isRefused ? "" : "not "}be refused: ${answer.status} ${answer.text.slice(0, 300)}`,
      );
  }
  return wrong;
}

/**
 * A refusal for another reason, such as that a name is taken or that a password breaks the policy of an organization, is none of what
 * the document says.
 */
function isRefused({ status, text }: HttpAnswer, { isRefused: isExpected, field }: Probe): boolean {
  if (status !== 400 && status !== 404) return false;
  if (isExpected) return true;
  const { details = [] } = JSON.parse(text);
  if (details.some(({ reason }: Loose) => reason === "PASSWORD_TOO_WEAK")) return false;
  return violationsOf(details).some((violation) => violation.field.startsWith(field));
}

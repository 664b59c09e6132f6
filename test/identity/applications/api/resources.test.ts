import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { metadataUrlOf, resourceViolation } from "../../../../src/identity/applications/api/api-resource.ts";
import { checkApiScopes } from "../../../../src/identity/applications/api/api-scope.ts";
import { createResourceSource } from "../../../../src/identity/applications/api/resource-source.ts";
import {
  type ApplicationCommands,
  createApplicationCommands,
} from "../../../../src/identity/applications/commands.ts";
import type {
  FetchOptions,
  FetchOutcome,
  MetadataSource,
} from "../../../../src/identity/applications/saml/metadata-source.ts";
import type { Call } from "../../../../src/kernel/base/call.ts";
import type { OrganizationId } from "../../../../src/kernel/base/ids.ts";
import { fixedScopes } from "../../../../src/sites/oidc/tokens/scopes.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";
import { apiSettings } from "../../../support/samples.ts";

const issuer = "https://id.example.com";

describe("a resource", () => {
  const violationOf = (resource: string, isDevMode = false) =>
    resourceViolation(resource, { isDevMode, issuer });

  test.each(["https://api.test/", "https://api.test/v1", "https://api.test/v1/?a=b", "urn:example:orders"])(
    "may be %s",
    (resource) => expect(violationOf(resource)).toBeUndefined(),
  );

  test.each([
    ["https://api.test", "must be written as https://api.test/"],
    ["https://API.test/", "must be written as https://api.test/"],
    ["https://api.test:443/", "must be written as https://api.test/"],
    ["https://api.test/a/../b", "must be written as https://api.test/b"],
    ["URN:example:orders", "must be written as urn:example:orders"],
    ["https://api.test/#a", "must be an absolute https URI without user info and fragment, or a URN"],
    ["https://me@api.test/", "must be an absolute https URI without user info and fragment, or a URN"],
    ["/orders", "must be an absolute https URI without user info and fragment, or a URN"],
    ["http://api.test/", "must be https"],
    ["http://localhost:8080/", "must be https"],
    ["urn:example:a#b", "must be a URN without fragment"],
    ["urn:gatehouse:api", "must not be below urn:zitadel: and urn:gatehouse:"],
    [`${issuer}/orders`, "must not be on the host of the issuer"],
  ])("may not be %s", (resource, violation) => expect(violationOf(resource)).toBe(violation));

  test("may be http on loopback while it is developed, and nowhere else", () => {
    expect(violationOf("http://localhost:8080/", true)).toBeUndefined();
    expect(violationOf("http://api.test/", true)).toBe("must be https, or http on loopback");
  });

  test("publishes its metadata between host and path (RFC 9728 §3.1)", () => {
    const at = "/.well-known/oauth-protected-resource";
    expect(metadataUrlOf("https://api.test/")).toBe(`https://api.test${at}`);
    expect(metadataUrlOf("https://api.test/v1?a=b")).toBe(`https://api.test${at}/v1?a=b`);
    expect(metadataUrlOf("urn:example:orders")).toBeUndefined();
  });
});

test("a scope has a name of its own (RFC 6749 §3.3)", () => {
  const faultsOf = (...names: readonly string[]) =>
    checkApiScopes(names.map((name) => ({ name, description: "" }))).map(({ field }) => field);
  expect(faultsOf("orders.read", "a:b/c", "!")).toEqual([]);
  for (const name of [...fixedScopes, "urn:zitadel:a", "URN:gatehouse:b", "a b", 'a"b', "a\\b", "ä"])
    expect([name, faultsOf(name)]).toEqual([name, ["scopes[0].name"]]);
  expect(faultsOf("a", "b", "a")).toEqual(["scopes[2].name"]);
});

describe("an API with a resource", () => {
  let fixture: FeatureFixture;
  let commands: ApplicationCommands;
  let organization: OrganizationId;
  let call: Call;
  let answer: FetchOutcome;
  const asked: { readonly url: string; readonly options: FetchOptions }[] = [];
  let counter = 0;

  const fetcher = {
    async get(url: string, options: FetchOptions) {
      asked.push({ url, options });
      return answer;
    },
    violationOf: (url: string) => (url.includes("private") ? "has a private host" : undefined),
  };
  beforeAll(async () => {
    fixture = await openFeatureFixture();
    const resources = createResourceSource({ fetcher, issuer: () => issuer });
    commands = createApplicationCommands(fixture.context, {} as MetadataSource, resources);
    organization = await fixture.addOrganization();
    call = callAs(organization);
  });
  beforeEach(() => {
    answer = { kind: "unreachable" };
    asked.length = 0;
  });
  afterAll(() => fixture.close());

  const document = (value: unknown): FetchOutcome => ({
    kind: "document",
    bytes: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  });
  const newResource = () => `https://api-${counter++}.test/`;
  async function add(settings: Parameters<typeof apiSettings>[0], by = call) {
    const projectId = await fixture.addProject(organization);
    const name = `api ${counter++}`;
    const { id } = await commands.createApi(by, { projectId, name, settings: apiSettings(settings) });
    return { projectId, applicationId: id };
  }
  async function stateOf(of: { readonly projectId: string; readonly applicationId: string }) {
    const application = await commands.get(call, of);
    return application.kind === "api" ? application.api.resourceState : "not an API";
  }

  test("is pending until its metadata name our issuer, which each update asks for again", async () => {
    const resource = newResource();
    const api = await add({ resource });
    expect(await stateOf(api)).toBe("PENDING");
    expect(asked).toMatchObject([
      {
        url: `${resource}.well-known/oauth-protected-resource`,
        options: { maxRedirects: 0, timeoutMs: 5000 },
      },
    ]);
    for (const wrong of [
      "no JSON",
      {},
      { resource, authorization_servers: ["https://other.example"] },
      { resource: "https://other.test/", authorization_servers: [issuer] },
      { resource, authorization_servers: issuer },
    ]) {
      answer = document(wrong);
      await commands.updateApi(call, api, apiSettings({ resource }));
      expect(await stateOf(api)).toBe("PENDING");
    }
    answer = document({ resource: resource.slice(0, -1), authorization_servers: ["https://a.test", issuer] });
    await commands.updateApi(call, api, apiSettings({ resource }));
    expect(await stateOf(api)).toBe("VERIFIED");
    asked.length = 0;
    answer = { kind: "unreachable" };
    await commands.updateApi(call, api, apiSettings({ resource, authMethodType: "PRIVATE_KEY_JWT" }));
    expect([await stateOf(api), asked]).toEqual(["VERIFIED", []]);
    await commands.updateApi(call, api, apiSettings({ resource: newResource() }));
    expect(await stateOf(api)).toBe("PENDING");
  });

  test("is verified by an administrator of the instance, and by nobody else", async () => {
    const resource = newResource();
    const api = await add({ resource });
    const vouched = apiSettings({ resource, isResourceVerified: true });
    expect(await outcomeOf(commands.updateApi(call, api, vouched))).toBe("PERMISSION_DENIED");
    const byInstance = callAs(organization, {
      held: [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }],
    });
    await commands.updateApi(byInstance, api, vouched);
    expect([await stateOf(api), asked.length]).toEqual(["VERIFIED", 1]);
    await commands.updateApi(call, api, vouched); // it is already
  });

  test("has it alone once it is verified, also with another final slash", async () => {
    const urn = `urn:example:orders-${counter++}`;
    const api = await add({ resource: urn });
    expect(await stateOf(api)).toBe("VERIFIED");
    expect(await outcomeOf(add({ resource: urn }))).toBe("ALREADY_EXISTS");
    expect(await outcomeOf(add({ resource: `${urn}/` }))).toBe("ALREADY_EXISTS");
    await commands.updateApi(call, api, apiSettings({ resource: `${urn}/` }));
    const [pending, second] = [newResource(), { resource: newResource() }];
    expect(await stateOf(await add({ resource: pending }))).toBe("PENDING");
    answer = document({ resource: pending, authorization_servers: [issuer] });
    expect(await stateOf(await add({ resource: pending }))).toBe("VERIFIED"); // one that is pending reserves nothing
    answer = document({ ...second, authorization_servers: [issuer] });
    expect(await stateOf(await add(second))).toBe("VERIFIED");
    await commands.remove(call, api);
    expect(await stateOf(await add({ resource: urn }))).toBe("VERIFIED");
  });

  test("is never asked on a private host, and stays pending", async () => {
    expect(await stateOf(await add({ resource: "https://private.test/" }))).toBe("PENDING");
    expect(asked).toEqual([]);
  });

  test("gives scopes for roles of its project only", async () => {
    const scope = { name: "write", description: "", isDefault: false, roleKeys: ["writer"] };
    expect(await outcomeOf(add({ scopes: [scope] }))).toBe("NOT_FOUND");
  });
});

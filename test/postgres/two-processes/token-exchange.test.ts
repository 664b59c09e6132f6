import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createCaller, createProject, createServiceUser, createWorld, idOf } from "../../support/world.ts";
import { canaries } from "../../support/canaries.ts";
import { refusalOf } from "../../support/service.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

// What one process has given, the other one takes, until the first one has ended it.

let pair: Pair;
let organizationId: string;
beforeAll(async () => {
  pair = await startPair();
  ({ organizationId } = await createWorld(pair.one));
});
afterAll(() => pair.close());

const apiScope = "urn:zitadel:iam:org:project:id:zitadel:aud";
const tokenTypes = "urn:ietf:params:oauth:token-type:";

async function post(process: Process, path: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(`${process.url}${path}`, { method: "POST", body: new URLSearchParams(form) });
  return response.status === 200 && response.headers.get("content-length") === "0"
    ? {}
    : ((await response.json()) as Readonly<Record<string, unknown>>);
}

test("an exchanged token holds at the other process, and no longer than at the first", async () => {
  const { one, other } = pair;
  const inside = createCaller(one, organizationId);
  const projectId = await createProject(one, organizationId);
  const made = await inside(ApplicationService.method.createOidcApplication, {
    projectId,
    name: "Gateway",
    grantTypes: [OidcGrantType.TOKEN_EXCHANGE],
    authMethodType: OidcAuthMethodType.POST,
    apiAccess: true,
  });
  const client = { client_id: idOf(made, "clientId"), client_secret: idOf(made, "clientSecret") };
  const { id: userId } = await createServiceUser(one, organizationId);
  const generated = await one.call(UserService.method.generateServiceUserSecret, { userId });
  const machine = { client_id: userId, client_secret: idOf(generated, "clientSecret") };
  const scope = `${apiScope} urn:zitadel:iam:org:project:id:${projectId}:aud`;
  const give = async (process: Process, form: Readonly<Record<string, string>>): Promise<string> => {
    const answer = await post(process, "/oauth/v2/token", form);
    const token = String(answer["access_token"]);
    canaries.add("access token", token);
    return token;
  };
  const subject = await give(one, { grant_type: "client_credentials", ...machine, scope });
  const token = await give(other, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: subject,
    subject_token_type: `${tokenTypes}access_token`,
    ...client,
  });
  /** Says at both processes whether our API, and introspection, take the token. */
  const states = async () => {
    const at = async (process: Process) => {
      const outcome = await process.clients.json.call(UserService.method.getMyUser, {}, { token });
      const told = await post(process, "/oauth/v2/introspect", { token, ...client });
      return [outcome.kind === "answer" ? "in" : refusalOf(outcome).reason, told["active"] ?? told["error"]];
    };
    return await Promise.all([at(one), at(other)]);
  };
  expect(await states()).toEqual([
    ["in", true],
    ["in", true],
  ]);
  const app = { projectId, appId: client.client_id };
  for (let round = 0; round < 3; round++) {
    await inside(ApplicationService.method.deactivateApplication, app);
    expect(await states()).toEqual([
      ["TOKEN_INVALID", "invalid_client"],
      ["TOKEN_INVALID", "invalid_client"],
    ]);
    await inside(ApplicationService.method.reactivateApplication, app);
    expect(await states()).toEqual([
      ["in", true],
      ["in", true],
    ]);
  }
  await post(one, "/oauth/v2/revoke", { token: subject, ...machine });
  expect(await states()).toEqual([
    ["TOKEN_INVALID", false],
    ["TOKEN_INVALID", false],
  ]);
});

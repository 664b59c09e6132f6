import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { createAccessControl } from "../../../../src/identity/access/access-control.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { createAnswerStore } from "../../../../src/identity/idempotency/commands.ts";
import { createProjectCommands } from "../../../../src/identity/projects/commands.ts";
import { createProjectService } from "../../../../src/identity/projects/rpc.ts";
import { removeToken } from "../../../../src/identity/programs/tokens/token.ts";
import type { Arrival, UnaryMethod } from "../../../../src/sites/rpc/calls/method.ts";
import { createFieldRules } from "../../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { createPipeline } from "../../../../src/sites/rpc/calls/pipeline.ts";
import { instanceId, openSetup, type Setup } from "../../../identity/memberships/setup.ts";
import { asOneOfSeveral, type OneOfSeveral } from "../../../support/one-of-several.ts";
import { noJwts } from "../../../support/no-access-tokens.ts";

// Two processes: calls come to the one, `setup` changes tokens and roles in the other.

let setup: Setup;
let database: OneOfSeveral;
let token: { readonly id: string; readonly text: string };
let runs: string[];
let bodies: number;
let answered: Record<string, string>;
let find: (name: "getProject" | "updateProject") => UnaryMethod;

beforeEach(async () => {
  setup = await openSetup();
  database = asOneOfSeveral(setup.log.database);
  [runs, bodies, answered] = [[], 0, {}];
  await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
  token = await setup.addToken({ userId: setup.userId, by: "system" });
  const context = { ...setup.log.context, database };
  const service = createProjectService(createProjectCommands(context), context);
  const rpcs = Object.entries(service.rpcs).map(([name, rpc]) => {
    if (!("run" in rpc)) return [name, rpc] as const;
    const run: typeof rpc.run = (one, request) => {
      runs.push(name);
      return rpc.run(one, request);
    };
    return [name, { ...rpc, run }] as const;
  });
  const methods = createPipeline({
    accessControl: createAccessControl({ ...context, instanceId, jwts: noJwts }),
    answerStore: createAnswerStore(context),
    fieldRules: createFieldRules(ProjectService.methods.map(({ input }) => input)),
    services: [{ service: ProjectService, rpcs: Object.fromEntries(rpcs) }],
  });
  find = (name) => methods.find(({ descriptor }) => descriptor.localName === name) as UnaryMethod;
});
afterEach(() => setup.close());

function call(method: UnaryMethod, request: Message, headers: Record<string, string> = {}): Promise<Message> {
  const all: Record<string, string> = { authorization: `Bearer ${token.text}`, ...headers };
  const arrival: Arrival = {
    requestId: "request-1",
    remoteAddress: undefined,
    verb: "POST",
    path: "/",
    deadlineMs: undefined,
    signal: new AbortController().signal,
    header: (name) => all[name],
    answerHeader: (name, value) => void (answered[name] = value),
  };
  return method.call(arrival, async () => {
    bodies += 1;
    return request;
  });
}

const get = (id: string = setup.projectId) =>
  call(find("getProject"), create(ProjectService.method.getProject.input, { id }));

function update(headers?: Record<string, string>, id: string = setup.projectId) {
  const init: MessageInitShape<typeof ProjectService.method.updateProject.input> = { id, name: "Renamed" };
  return call(find("updateProject"), create(ProjectService.method.updateProject.input, init), headers);
}

const calls = [
  ["a read", () => get()],
  ["a change", () => update()],
  ["a change with conditions", () => update({ "idempotency-key": "k", "if-match": "*" })],
  ["a dry run", () => update({ "x-service-validate-only": "true" })],
] as const;

const takeToken = () =>
  setup.log.append([
    removeToken({ tokenId: token.id as never, userId: setup.userId, organizationId: setup.home }),
  ]);
const takeRoles = () => setup.log.run("DELETE FROM stored_memberships WHERE user_id = ?", [setup.userId]);

describe.each(calls)("%s", (_name, make) => {
  test("is refused at once when another process has removed its token", async () => {
    await make();
    await takeToken();
    await expect(make()).rejects.toMatchObject({ reason: "TOKEN_INVALID" });
  });

  test("is refused at once when another process has taken the role", async () => {
    await make();
    await takeRoles();
    await expect(make()).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
  });

  test("is made at once when another process has given the role", async () => {
    await takeRoles();
    await expect(make()).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
    await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
    await expect(make()).resolves.toBeDefined();
  });

  test("reaches one more project as soon as another process has given the role on it", async () => {
    await takeRoles();
    const other = await setup.addProject(setup.home);
    const on = { kind: "project", projectId: other, organizationId: setup.home } as const;
    await setup.give(setup.userId, on, "PROJECT_OWNER");
    await expect(make()).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
    await expect(make()).resolves.toBeDefined();
  });

  test("is neither made nor refused while nothing can be learnt of the others", async () => {
    await make();
    runs = [];
    const reason = "OVERLOADED";
    database.failWith(new Problem({ kind: "unavailable", reason, message: "no primary" }));
    await expect(make()).rejects.toMatchObject({ reason });
    token = { ...token, text: "nonsense" };
    await expect(make()).rejects.toMatchObject({ reason });
    expect(runs.filter((name) => name === "updateProject")).toEqual([]);
  });
});

test("a read is made once when nothing has changed, and once more when something has", async () => {
  await get();
  runs = [];
  await get();
  expect([runs, database.refreshes()]).toEqual([["getProject"], 2]);
  await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
  runs = [];
  bodies = 0;
  await get();
  expect([runs, bodies]).toEqual([["getProject", "getProject"], 1]);
});

test("a change is made once, whatever has changed, and its body is read once", async () => {
  await update();
  await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
  [runs, bodies] = [[], 0];
  await update();
  expect([runs, bodies]).toEqual([["updateProject"], 1]);
});

test("a stored answer is only for a caller who may still make the call", async () => {
  const headers = { "idempotency-key": "k" };
  await update(headers);
  await update(headers);
  expect(answered).toEqual({ "idempotency-replayed": "true" });
  answered = {};
  await takeRoles();
  await expect(update(headers)).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
  expect(answered).toEqual({});
});

test("a process that is alone asks nobody", async () => {
  Object.assign(database, { refresh: () => undefined });
  await get();
  await get();
  expect([runs, database.refreshes()]).toEqual([["getProject", "getProject"], 0]);
});

/**
 * Removes an organization of many users while others read and write, and prints how long they waited, what the dry runs before
 * it took, and when the last row was gone.
 *
 * `node test/bench/removal.ts fill <folder> [users]` makes a data folder; `node test/bench/removal.ts run <folder>` serves a
 * copy of it and measures. Both run on any version since 0.1, so that two can be compared on the same folder.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import type {
  MembershipId,
  OrganizationId,
  ProjectId,
  UserGrantId,
  UserId,
} from "../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../src/kernel/events/event.ts";
import { putSecret } from "../../src/kernel/events/secret-store.ts";
import { openInstallation } from "../../src/app/installation.ts";
import { writePrivateFile } from "../../src/kernel/storage/data-folder.ts";
import { projectPayload } from "../support/samples.ts";
import { withIds } from "../support/ids.ts";

const [command = "", folder = "", count = "100000"] = process.argv.slice(2);
if (command === "fill") await fill(folder, Number(count));
else if (command === "run") await run(folder);
else throw new Error("fill <folder> [users], or run <folder>");

/** Every second user of the folder is of the organization that goes; the names of all are personal data. */
async function fill(path: string, users: number): Promise<void> {
  const installation = await openInstallation({ dataFolder: path }, { isNewAllowed: true });
  const { instance, folder: files } = installation;
  const context = withIds(installation.context);
  await instance.create((token) => writePrivateFile(files.adminToken, `${token.reveal()}\n`));
  const { ids, database, log } = context;
  const origin = { editor: "system", remoteAddress: undefined, requestId: "bench" } as const;
  const record = (events: readonly NewEvent[], secrets: readonly string[] = []) =>
    database.write(async (tx) => {
      for (const id of secrets) await putSecret(tx, id, { keyId: "", value: new Uint8Array(32) });
      await log.append(tx, origin, events);
    });
  const [doomed, kept] = [ids.next<OrganizationId>(), ids.next<OrganizationId>()];
  const projects = [ids.next<ProjectId>(), ids.next<ProjectId>()];
  const owners = [doomed, kept];
  await record(
    owners.flatMap((id, index): NewEvent[] => [
      {
        type: "organization.added",
        aggregateId: id,
        resourceOwner: id,
        payload: { name: index === 0 ? "Doomed" : "Kept" },
      },
      {
        type: "project.added",
        aggregateId: projects[index] ?? "",
        resourceOwner: id,
        payload: projectPayload(),
      },
    ]),
  );
  const add = (
    index: number,
  ): { readonly events: readonly NewEvent[]; readonly secrets: readonly string[] } => {
    const side = index % 2;
    const [home, other] = [owners[side] ?? doomed, owners[1 - side] ?? kept];
    const id = ids.next<UserId>();
    const own = { aggregateId: id, resourceOwner: home };
    const profile = {
      given_name: "Ada",
      family_name: "Lovelace",
      display_name: "Ada L",
      preferred_language: "en",
    };
    const events: NewEvent[] = [
      {
        type: "user.added",
        ...own,
        payload: { kind: "human", username: `user${index}`, ...profile, email: `user${index}@example.com` },
      },
    ];
    const secrets: string[] = [];
    const grant = (by: OrganizationId, project: string | undefined): NewEvent => ({
      type: "user_grant.added",
      aggregateId: ids.next<UserGrantId>(),
      resourceOwner: by,
      payload: { user_id: id, project_id: project ?? "", project_grant_id: "", role_keys: ["reader"] },
    });
    const member = (scope: OrganizationId): NewEvent => ({
      type: "membership.added",
      aggregateId: ids.next<MembershipId>(),
      resourceOwner: scope,
      payload: { user_id: id, organization_id: scope, roles: ["ORGANIZATION_VIEWER"] },
    });
    events.push(grant(home, projects[side]));
    const place = Math.floor(index / 2);
    if (place % 2 === 0) events.push({ type: "user.phone.set", ...own, payload: { phone: "+41446681800" } });
    if (place % 5 === 0) events.push(grant(other, projects[1 - side]), member(home));
    if (place % 10 === 0) events.push(member(other));
    if (place % 10 === 1) {
      const factor = ids.next();
      events.push({ type: "user.u2f.added", ...own, payload: { u2f_id: factor, domain: "localhost" } });
      secrets.push(`u2f-challenge:${factor}`);
    }
    if (place % 3 === 0) {
      const token = ids.next();
      events.push({ type: "user.token.added", ...own, payload: { token_id: token } });
      secrets.push(`token:${token}`);
    }
    return { events, secrets };
  };
  for (let index = 0; index < users * 2; index += 200) {
    const some = Array.from({ length: 200 }, (_, at) => add(index + at));
    await record(
      some.flatMap(({ events }) => events),
      some.flatMap(({ secrets }) => secrets),
    );
    if (index % 20_000 === 0) console.log(`${index / 2} users in each of two organizations`);
  }
  await installation.close();
}

async function run(original: string): Promise<void> {
  const path = `${original}.copy`;
  rmSync(path, { recursive: true, force: true });
  cpSync(original, path, { recursive: true });
  const serving = spawn(
    process.execPath,
    ["src/main.ts", "serve", "--data", path, "--listen", "127.0.0.1:0"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const url = await new Promise<string>((resolve) => {
    let text = "";
    serving.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /ready on (\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const token = readFileSync(`${path}/admin.token`, "utf8").trim();
  await measure(url, token, `${path}/gatehouse.db`);
  serving.kill("SIGTERM");
  const begun = performance.now();
  await once(serving, "exit");
  console.log(`stop: ${(performance.now() - begun).toFixed(0)} ms`);
  rmSync(path, { recursive: true, force: true });
}

async function measure(url: string, token: string, file: string): Promise<void> {
  const database = new Sqlite(file, { readonly: true });
  const one = (sql: string) => database.prepare(sql).pluck().get();
  const doomed = String(one("SELECT id FROM organizations WHERE name = 'Doomed'"));
  const caller = () => createCaller(url, token);
  const isLeft = () =>
    Number(one("SELECT COUNT(*) FROM sqlite_master WHERE name = 'removed_organizations'")) > 0 &&
    one("SELECT 1 FROM removed_organizations") !== undefined;
  const state = { isOver: false };
  const waits = { reads: [] as number[], writes: [] as number[] };
  const loop = async (name: keyof typeof waits, everyMs: number, method: string, body: () => object) => {
    const call = caller();
    while (!state.isOver) {
      waits[name].push(await call(method, body()));
      await pause(everyMs);
    }
  };
  const print = (what: string) => {
    const worst = (values: readonly number[]) => Math.max(0, ...values).toFixed(1);
    const quantile = (values: readonly number[], at: number) =>
      (values.toSorted((a, b) => a - b)[Math.floor(values.length * at)] ?? 0).toFixed(1);
    const { reads, writes } = waits;
    const line = (values: readonly number[]) =>
      `worst ${worst(values)} ms, p99 ${quantile(values, 0.99)}, median ${quantile(values, 0.5)} (${values.length})`;
    console.log(`${what}: reads ${line(reads)}; writes ${line(writes)}`);
    waits.reads = [];
    waits.writes = [];
  };
  let made = 0;
  const loops = [
    loop("reads", 1, "UserService/GetMyUser", () => ({})),
    loop("reads", 1, "ProjectService/ListProjects", () => ({})),
    loop("writes", 2, "ProjectService/AddProject", () => ({ name: `project ${made++}` })),
  ];
  const call = caller();
  await pause(2000);
  print("before");
  for (let nth = 0; nth < 5; nth++) {
    const ms = await call(
      "OrganizationService/RemoveOrganization",
      { id: doomed },
      { "x-service-validate-only": "true" },
    );
    console.log(`dry run: ${ms.toFixed(1)} ms`);
    await pause(50);
  }
  await pause(200);
  print("dry runs");
  const begun = performance.now();
  const ms = await call("OrganizationService/RemoveOrganization", { id: doomed });
  console.log(`removal answered: ${ms.toFixed(1)} ms`);
  await pause(500);
  print("removal");
  while (isLeft()) await pause(50);
  console.log(`last row gone: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  await pause(500);
  print("rows");
  state.isOver = true;
  await Promise.all(loops);
  database.close();
}

/** Returns what calls and returns how long that took. Throws for what is no answer. */
function createCaller(url: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (method: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      const sent = request(
        `${url}/gatehouse.v1.${method}`,
        {
          method: "POST",
          agent,
          headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
        },
        (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString()));
          response.on("end", () => {
            if (response.statusCode === 200) resolve(performance.now() - begun);
            else reject(new Error(`${method}: ${response.statusCode} ${text}`));
          });
        },
      );
      sent.on("error", reject);
      sent.end(JSON.stringify(body));
    });
}

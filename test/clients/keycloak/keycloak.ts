import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findPort } from "../support/stage.ts";
import { run } from "../support/run.ts";
import { counts, type HashKind, makePerson, realm } from "./realm.ts";

const version = "26.5.6";
const admin = { username: "admin", password: "an admin of an hour" };

/** Has a real Keycloak make a realm with its people, and export it into a folder, whose path is returned. It takes ten minutes. */
export async function exportRealm(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-keycloak-"));
  const zip = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
  await run(
    ["mvn", "-q", "-B", "dependency:copy", `-Dartifact=${zip}`, `-DoutputDirectory=${folder}`],
    folder,
  );
  await run(["unzip", "-q", `keycloak-quarkus-dist-${version}.zip`], folder);
  const home = join(folder, `keycloak-${version}`);
  const port = await findPort();
  const serving = startKeycloak(home, ["start-dev", "--http-host", "127.0.0.1", "--http-port", String(port)]);
  try {
    await makeRealm(`http://127.0.0.1:${port}`);
  } finally {
    serving.kill();
    await once(serving, "close");
  }
  const output = join(folder, "export");
  const words = ["export", "--dir", output, "--realm", realm.realm, "--users", "different_files"];
  const exporting = startKeycloak(home, words);
  const [code] = (await once(exporting, "close")) as [number | null]; // the arguments of "close"
  if (code !== 0) throw new Error(`kc.sh export ended with ${code}`);
  return output;
}

function startKeycloak(home: string, words: readonly string[]): ChildProcess {
  return spawn(join(home, "bin/kc.sh"), words, {
    stdio: "ignore",
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
      JAVA_OPTS_KC_HEAP: "-Xms128m -Xmx700m",
    },
  });
}

async function makeRealm(origin: string): Promise<void> {
  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${origin}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${await getToken(origin)}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  await untilUp(origin);
  await call("POST", "", realm);
  const profile = (await (await call("GET", `/${realm.realm}/users/profile`)).json()) as object;
  await call("PUT", `/${realm.realm}/users/profile`, { ...profile, unmanagedAttributePolicy: "ENABLED" });
  let first = 0;
  for (const [kind, count] of Object.entries(counts) as [HashKind, number][]) {
    await call("PUT", `/${realm.realm}`, { realm: realm.realm, passwordPolicy: `hashAlgorithm(${kind})` });
    for (let made = 0; made < count; made += 50) {
      const users = Array.from({ length: 50 }, (_, at) => makePerson(first + made + at));
      await call("POST", `/${realm.realm}/partialImport`, { ifResourceExists: "FAIL", users });
    }
    first += count;
  }
}

/** It lives for a minute. */
async function getToken(origin: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: "password", client_id: "admin-cli", ...admin });
  const answer = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
    method: "POST",
    body,
  });
  return ((await answer.json()) as { access_token: string }).access_token; // what it answers
}

async function untilUp(origin: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(`${origin}/realms/master`).catch(() => undefined);
    if (answer?.ok === true) return;
    await setTimeout(1000);
  }
  throw new Error("Keycloak does not answer");
}

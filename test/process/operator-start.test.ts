import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { createCertificate } from "../kernel/outbound/certificate.ts";
import { type Launch, parseLog } from "../support/process.ts";
import { finish, type Place, usePlaces } from "./support/place.ts";
import { toPattern } from "./support/lines.ts";
import { callSecurely, fixture } from "./support/secure.ts";
import { asOrdinaryUser, giveToOrdinaryUser } from "./support/unprivileged.ts";
import { mkdirSync, rmSync } from "node:fs";

const createPlace = usePlaces();

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly launch?: Launch;
  readonly code: 1 | 2;
  readonly message: string | RegExp;
}

let blocker: Server;
let takenPort = 0;

beforeAll(async () => {
  blocker = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  takenPort = (blocker.address() as AddressInfo).port; // it listens on TCP
});

afterAll(() => {
  blocker.close();
});

const cases: readonly Case[] = [
  {
    name: "a port that is taken",
    args: ["--listen", "127.0.0.1:TAKEN"],
    code: 1,
    message: "--listen 127.0.0.1:TAKEN: another process listens there; stop it, or choose another port",
  },
  {
    name: "a port that an ordinary user may not have",
    args: ["--listen", "127.0.0.1:1"],
    launch: asOrdinaryUser,
    code: 1,
    message: "--listen 127.0.0.1:1: this user may not listen on that port; choose one from 1024 up",
  },
  {
    name: "an address of another machine", // TEST-NET-1 (RFC 5737)
    args: ["--listen", "192.0.2.1:0"],
    code: 1,
    message:
      "--listen 192.0.2.1:0: this machine does not have that address; 0.0.0.0 or [::] means all of its addresses",
  },
  {
    name: "a host that does not exist",
    args: ["--listen", "no-such-host.invalid:0"],
    code: 1,
    message:
      /^--listen no-such-host\.invalid:0: the host name does not resolve( at the moment)?; give an address of/,
  },
  {
    name: "a misspelt variable",
    args: [],
    environment: { GATEHOUSE_LISTNE: "127.0.0.1:0" },
    code: 2,
    message: "GATEHOUSE_LISTNE is not a variable of gatehouse; did you mean GATEHOUSE_LISTEN?",
  },
];

describe("a first start is refused with one line, and makes nothing, by", () => {
  const outcomes = new Map<string, ReturnType<typeof tryCase>>();

  beforeAll(() => {
    for (const each of cases) outcomes.set(each.name, tryCase(each));
  });

  test.each(cases)(
    "$name",
    async ({ name, code, message }) => {
      const outcome = await outcomes.get(name);
      expect(outcome).toMatchObject({ code, stdout: "", isMade: false });
      expect(outcome?.line).toMatch(toPattern(message));
    },
    60_000,
  );
});

async function tryCase({ args, environment, launch }: Case) {
  const place = createPlace();
  mkdirSync(place.path);
  giveToOrdinaryUser(place.path); // so that only the port stands in its way
  rmSync(place.path, { recursive: true });
  const listen = args.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
  const actual = [...listen, ...args].map((arg) => arg.replace("TAKEN", String(takenPort)));
  const { code, stdout, stderr } = await finish(place.start(["serve", ...actual], environment, launch));
  const line = /^gatehouse: (?<text>[^\n]*)\n$/.exec(stderr)?.groups?.["text"] ?? stderr;
  return { code, stdout, line: line.replaceAll(String(takenPort), "TAKEN"), isMade: existsSync(place.path) };
}

test("a misspelt variable is refused by every command that has a data folder", async () => {
  const refused = { code: 2, stdout: "" };
  for (const args of [["token", "create"], ["rebuild"], ["doctor"], ["backup", "/nowhere/file"]])
    expect(await createPlace().run(args, { GATEHOUSE_DTAA: "/nowhere" })).toMatchObject(refused);
});

test("other variables that begin with GATEHOUSE_ are named in the log, but for those of Kubernetes", async () => {
  const serving = await createPlace().serve([], {
    GATEHOUSE_OF_THE_MANOR: "1",
    GATEHOUSE_SERVICE_HOST: "10.0.0.1",
    GATEHOUSE_PORT_8080_TCP_ADDR: "10.0.0.1",
  });
  expect(await serving.logged("config.unknown_variables")).toMatchObject({
    level: 40,
    variables: ["GATEHOUSE_OF_THE_MANOR"],
  });
  expect(await serving.stop()).toBe(0);
});

describe("SIGHUP", () => {
  const writePair = (place: Place, { cert, key }: { readonly cert: string; readonly key: string }) => {
    writeFileSync(`${place.path}.cert`, cert);
    writeFileSync(`${place.path}.key`, key);
  };
  const fingerprintOf = async (url: string) => {
    const { connect } = await import("node:tls");
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return raw.toString("base64");
  };
  const rawOf = (pem: string) => pem.replaceAll(/-----[^-]*-----|\s/g, "");

  test("takes a new certificate; a bad one changes nothing and is named", async () => {
    const place = createPlace();
    const old = {
      cert: readFileSync(fixture("tls-cert.pem"), "utf8"),
      key: readFileSync(fixture("tls-key.pem"), "utf8"),
    };
    writePair(place, old);
    const serving = await place.serve(["--tls-cert", `${place.path}.cert`, "--tls-key", `${place.path}.key`]);
    const fresh = createCertificate(["localhost", "127.0.0.1"]);
    writePair(place, { ...old, key: fresh.key });
    serving.child.kill("SIGHUP");
    expect(await serving.logged("tls.not_reloaded")).toMatchObject({
      level: 50,
      reason: "--tls-key is not the key of --tls-cert",
    });
    expect(await fingerprintOf(serving.url)).toBe(rawOf(old.cert));
    expect((await callSecurely(`${serving.url}/healthz`, "GET", {})).status).toBe(200);
    writePair(place, fresh);
    serving.child.kill("SIGHUP");
    await serving.logged("tls.reloaded");
    expect(await fingerprintOf(serving.url)).toBe(rawOf(fresh.cert));
    expect(await serving.stop()).toBe(0);
  });

  test("has nothing to do without a certificate, and ends nothing", async () => {
    const serving = await createPlace().serve();
    serving.child.kill("SIGHUP");
    await serving.logged("service.nothing_to_reload");
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
    expect(await serving.stop()).toBe(0);
  });
});

test("a certificate that has expired is served, and named in the log", async () => {
  const place = createPlace();
  const { cert, key } = createCertificate(["localhost"], { from: "200101000000Z", to: "210101000000Z" });
  mkdirSync(place.path, { mode: 0o700 });
  writeFileSync(`${place.path}.cert`, cert);
  writeFileSync(`${place.path}.key`, key);
  const serving = await place.serve(["--tls-cert", `${place.path}.cert`, "--tls-key", `${place.path}.key`]);
  const warning = parseLog(serving.stderr()).find(({ msg }) => msg === "tls.certificate_not_valid_now");
  expect(warning).toMatchObject({ level: 40, validity: "expired" });
  expect(await serving.stop()).toBe(0);
});

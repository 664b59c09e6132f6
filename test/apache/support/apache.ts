import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeTemporaryFolder } from "../../support/temporary.ts";

/** An Apache that lets in only those who have logged in. */
export interface Apache {
  readonly origin: string;
  /** What it wrote to its error log. */
  log(): string;
  stop(): Promise<void>;
}

/** The modules that ask for a login, by what Debian calls their packages, and how they guard a folder. */
export const guards = {
  auth_openidc: { package: "libapache2-mod-auth-openidc", lines: ["AuthType openid-connect"] },
  auth_mellon: { package: "libapache2-mod-auth-mellon", lines: ["AuthType Mellon", "MellonEnable auth"] },
} as const;

const program = "/usr/sbin/apache2";
const modules = "/usr/lib/apache2/modules";
/** What the configuration below needs; some builds of Apache have some of them inside. */
const moduleNames = [
  "mpm_event",
  "authn_core",
  "authz_core",
  "authz_user",
  "dir",
  "mime",
  "headers",
] as const;

/** Throws an error that says what to install when there is no Apache with the module. */
export function requireApache(guard: keyof typeof guards, path = program, folder = modules): void {
  try {
    accessSync(path, constants.X_OK);
    accessSync(join(folder, `mod_${guard}.so`));
  } catch {
    throw new Error(
      `Apache with mod_${guard} is missing: install the packages apache2-bin and ${guards[guard].package} (.ci/install-mod-${guard.replace("_", "-")} does)`,
    );
  }
}

/** What an Apache is started with. */
export interface ApacheChoices {
  readonly origin: string;
  readonly guard: keyof typeof guards;
  /** What the configuration says of the module. */
  readonly lines: readonly string[];
}

/** Starts Apache at the origin. Throws when it does not start. */
export async function startApache({ origin, guard, lines }: ApacheChoices): Promise<Apache> {
  requireApache(guard);
  const folder = makeTemporaryFolder();
  chmodSync(folder.path, 0o755); // its workers are another user
  const documents = join(folder.path, "documents");
  for (const name of ["", "protected"]) {
    mkdirSync(join(documents, name), { recursive: true });
    writeFileSync(join(documents, name, "index.html"), `the page ${name}`);
  }
  const configuration = join(folder.path, "apache.conf");
  writeFileSync(configuration, configure({ origin, guard, folder: folder.path, documents, lines }));
  const child = spawn(program, ["-f", configuration, "-D", "FOREGROUND"], { stdio: "ignore" });
  const exited = once(child, "exit");
  const log = () => readFileSync(join(folder.path, "error.log"), "utf8");
  const ended = exited.then(() => {
    throw new Error(`Apache ended: ${log()}`);
  });
  await Promise.race([ended, untilListening(origin)]);
  ended.catch(() => undefined); // it is told to end
  return {
    origin,
    log,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      folder.remove();
    },
  };
}

/** Waits until somebody listens there. */
async function untilListening(origin: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
}

function configure(what: ApacheChoices & { readonly folder: string; readonly documents: string }): string {
  const isRoot = process.getuid?.() === 0;
  const all = [
    ...[...moduleNames, what.guard].map(
      (name) =>
        `<IfModule !${name}_module>\nLoadModule ${name}_module ${modules}/mod_${name}.so\n</IfModule>`,
    ),
    ...(isRoot ? ["User www-data", "Group www-data"] : []),
    `Listen 127.0.0.1:${new URL(what.origin).port}`,
    "ServerName localhost",
    `DefaultRuntimeDir ${what.folder}`,
    `PidFile ${what.folder}/apache.pid`,
    `ErrorLog ${what.folder}/error.log`,
    `LogLevel notice ${what.guard}:info`,
    "TypesConfig /dev/null",
    "DirectoryIndex index.html",
    `DocumentRoot ${what.documents}`,
    ...what.lines,
    "<Location /protected>",
    ...guards[what.guard].lines,
    "Require valid-user",
    'Header set x-remote-user "expr=%{REMOTE_USER}"',
    "</Location>",
  ];
  return `${all.join("\n")}\n`;
}

import type { Command } from "commander";
import { emulatorListen } from "../config/emulator.ts";
import { optionDefinitions } from "../config/options.ts";
import type { Flags } from "../config/values.ts";
import { workerCommand } from "../workers/messages.ts";
import { type AddCommand, withOptions } from "./flags.ts";
import { emulatorHelp, secretsHelp } from "./help.ts";

const serve = async (flags: Flags) => (await import("./serve.ts")).serve(flags);
const serveAsWorker = async () => (await import("./worker.ts")).serveAsWorker();
const emulate = async (flags: Flags) => (await import("./emulator.ts")).emulate(flags);

/** Adds the commands that serve. */
export function addServing(program: Command, add: AddCommand): void {
  withOptions(
    add(
      program,
      "serve",
      "Serve until SIGTERM or SIGINT. SIGHUP reloads the certificate and, with --database, the master keys.",
      serve,
    ),
    optionDefinitions,
  ).addHelpText("after", secretsHelp);
  add(program, workerCommand, "Serve as one of the processes of serve --workers.", serveAsWorker, true);
  add(
    program,
    "emulator",
    "Serve an emulator for tests of applications until SIGTERM or SIGINT: everything in memory, on this machine only.",
    emulate,
  )
    .option(
      "--listen <host:port>",
      `Loopback address to listen on. Port 0 picks a free port. Default: ${emulatorListen}.`,
    )
    .option(
      "--seed <file>",
      "What there is at the start and after each reset: a file of gatehouse apply, in which organizations may have users.",
    )
    .option(
      "--log-level <level>",
      "Minimum level of log lines on stderr: debug, info, warn, error or silent. Default: warn.",
    )
    .addHelpText("after", emulatorHelp);
}

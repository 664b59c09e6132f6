import type { Command } from "commander";
import type { Flags } from "../config/values.ts";
import { type AddCommand, appendTo } from "./flags.ts";

const planFile = async (flags: Flags, values: readonly string[]) =>
  (await import("./apply.ts")).planFile(flags, values);
const applyFile = async (flags: Flags, values: readonly string[]) =>
  (await import("./apply.ts")).applyFile(flags, values);

/** Adds the flags of an export of the configuration. */
export function withConfiguration(command: Command): Command {
  return withService(command)
    .option(
      "--as-config",
      "Write the configuration of a running service instead, as a file for gatehouse apply: see --server. Without a file it goes to stdout.",
    )
    .option(
      "--organization <name>",
      "This organization alone, by id or name: import gatehouse adds it to another place. What it has outside of it is named and left out. With --as-config by name, without the instance; may be repeated.",
      appendTo,
    )
    .option("--with-people", "With --as-config: also grants, memberships and members that name people.");
}

function withService(command: Command): Command {
  return command
    .option("--server <url>", "The service, such as https://id.example.com.")
    .option(
      "--token-file <file>",
      "File with an access token, or with the key of a service user (key_details of AddServiceUserKey).",
    );
}

/** Adds the commands that compare a configuration with a service, and apply it. */
export function addApply(program: Command, add: AddCommand): void {
  const withFile = (command: Command): Command =>
    withService(command)
      .option("--secrets-dir <folder>", "The folder below which file: references to secrets are read.")
      .option(
        "--prune",
        "Also remove what the file does not have, in the lists of which it says that it owns them.",
      );
  withFile(
    add(
      program,
      "plan <file>",
      "Print what applying a configuration (YAML; - reads it from stdin) would change, and exit with 2 if it is anything. Changes nothing.",
      planFile,
    ),
  );
  withFile(
    add(
      program,
      "apply <file>",
      "Make the service what a configuration says, in one transaction, and print what has changed.",
      applyFile,
    ),
  ).option(
    "--new-secrets <file>",
    "New file for the secrets that the service makes for new applications and targets, one JSON object per line.",
  );
}

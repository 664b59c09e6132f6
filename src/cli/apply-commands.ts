import type { Command } from "commander";
import type { Flags } from "../config/values.ts";
import type { AddCommand } from "./flags.ts";

const planFile = async (flags: Flags, values: readonly string[]) =>
  (await import("./apply.ts")).planFile(flags, values);
const applyFile = async (flags: Flags, values: readonly string[]) =>
  (await import("./apply.ts")).applyFile(flags, values);

/** Adds the commands that compare a configuration with a service, and apply it. */
export function addApply(program: Command, add: AddCommand): void {
  const withService = (command: Command): Command =>
    command
      .option("--server <url>", "The service, such as https://id.example.com.")
      .option(
        "--token-file <file>",
        "File with an access token, or with the key of a service user (key_details of AddServiceUserKey).",
      );
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

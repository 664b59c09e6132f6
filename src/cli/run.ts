import { Command, CommanderError } from "commander";
import { messageOptions } from "../config/message-options.ts";
import { optionDefinitions } from "../config/options.ts";
import type { Flags } from "../config/values.ts";
import { addApply, withConfiguration } from "./apply-commands.ts";
import { addServing } from "./add-serving.ts";
import { type AddCommand, appendTo, withOptions } from "./flags.ts";
import { doctorHelp, importHelp } from "./help.ts";
import { outliveReaders, print, printError } from "./terminal/print.ts";
import { printVersion, readVersion } from "./terminal/version.ts";

/** Exit codes: done, failed, and used wrongly. */
const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** The commands. Each is loaded when it runs, so that help and errors in the arguments come at once. */
const init = async (flags: Flags) => (await import("./init.ts")).init(flags);
const createToken = async (flags: Flags) => (await import("./token.ts")).createToken(flags);
const makeLink = async (flags: Flags) => (await import("./setup.ts")).makeLink(flags);
const doctor = async (flags: Flags) => (await import("./doctor.ts")).doctor(flags);
const backup = async (flags: Flags, [file = ""]: readonly string[]) =>
  (await import("./backup.ts")).backup(file, flags);
const exportInstance = async (flags: Flags, values: readonly string[]) =>
  (await import("./export.ts")).exportInstance(flags, values);
const copy = async (flags: Flags) => (await import("./copy.ts")).copy(flags);
const printEvents = async (flags: Flags) => (await import("./events.ts")).printEvents(flags);
const addKey = async (flags: Flags) => (await import("./keys.ts")).addKey(flags);
const rotateKeys = async (flags: Flags) => (await import("./keys.ts")).rotateKeys(flags);
const importFiles = async (flags: Flags, values: readonly string[]) =>
  (await import("./import.ts")).importFiles(flags, values);
const syncDirectories = async (flags: Flags) => {
  const place = (await import("./place-options.ts")).readPlaceOptions(flags);
  return await (await import("./ldap/sync.ts")).syncDirectories(flags, { place, print, printError });
};
const rebuild = async (flags: Flags) => (await import("./rebuild.ts")).rebuild(flags);

/** Runs the command that the arguments name and returns the exit code. A problem is one line on stderr. */
export async function run(args: readonly string[]): Promise<number> {
  let code: number = exitCodes.ok;
  const program = new Command("gatehouse")
    .description("Identity and access management service.")
    .version(readVersion())
    .configureOutput({ writeErr: printError })
    .exitOverride()
    .configureHelp({ sortSubcommands: false });
  addCommands(program, async (action) => {
    code = await action;
  });
  process.umask(0o077); // what is in the data folder is nobody else's, even if others may look into the folder
  outliveReaders();
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
    if (error instanceof CommanderError) return args[0] === "plan" ? exitCodes.failed : exitCodes.usage; // 2 is its own
    const { explain } = await import("./explain.ts");
    const explanation = explain(error);
    if (explanation === undefined) throw error;
    printError(`gatehouse: ${explanation.message}\n`);
    return explanation.isUsage ? exitCodes.usage : exitCodes.failed;
  }
  return code;
}

/** Adds every command; `keep` gets the exit code of the one that runs. */
function addCommands(program: Command, keep: (code: Promise<number>) => Promise<void>): void {
  const add: AddCommand = (parent, name, description, action, isHidden = false) => {
    const command = parent.command(name, { hidden: isHidden }).description(description).exitOverride();
    return command.action(async () => {
      await keep(action(command.opts(), command.args));
    });
  };
  addServing(program, add);
  withOptions(
    add(
      program,
      "init",
      "Create an installation in the empty PostgreSQL database of --database: key file, tables, instance and administrator. With --issuer it also writes the link with which the first administrator signs up to admin.link in the data folder.",
      init,
    ),
    optionDefinitions.filter(({ name }) => placeOptions.has(name) || name === "issuer"),
  ).option(
    "--admin-token-file <file>",
    "New file for the token of the administrator. Default: admin.token in the data folder.",
  );
  addMaintenance(program, add);
  addEvents(program, add);
  addKeys(program, add);
  addImport(program, add);
  addDirectories(program, add);
  addApply(program, add);
  add(program, "version", "Print the version.", printVersion);
}

function addMaintenance(program: Command, add: AddCommand): void {
  const token = program.command("token").description("Administrator tokens.");
  withPlace(
    add(
      token,
      "create",
      "Create another administrator token and print it. On a data folder the service must be stopped.",
      createToken,
    ),
  ).option("--user <id>", "Id of an active user with the role INSTANCE_OWNER. Default: the oldest one.");
  const setup = program.command("setup").description("Administrators who sign in.");
  withOptions(
    add(
      setup,
      "link",
      "Make a link with which an administrator signs up, write it to admin.link and print it. It can be used once, for 24 hours. The service may be running.",
      makeLink,
    ),
    optionDefinitions.filter(({ name }) => setupOptions.has(name)),
  );
  withPlace(
    add(program, "rebuild", "Rebuild all tables from the event log. The service must be stopped.", rebuild),
  ).option(
    "--force",
    "With --database: rebuild while processes use it. Their changes wait until it is done, or fail after 5 seconds.",
  );
  withOptions(
    add(
      program,
      "doctor",
      "Check the data and print one line per check. Changes nothing; the service may be running.",
      doctor,
    ),
    optionDefinitions.filter(({ name }) => placeOptions.has(name) || doctorOptions.has(name)),
  ).addHelpText("after", doctorHelp);
  withOptions(
    add(
      program,
      "copy",
      "Copy a data folder into an empty PostgreSQL database, or a database into an empty data folder: events, secrets, keys and all else. Both must be stopped. The source is sealed. A copy that was interrupted is continued by the same command.",
      copy,
    ),
    optionDefinitions.filter(({ name }) => copyOptions.has(name)),
  )
    .option("--from <place>", "The folder, or the postgres:// URL without a password, that is copied.")
    .option("--to <place>", "The folder or URL that it is copied to.")
    .option(
      "--unseal",
      "Instead of copying: let the place of --from be served again, although it was copied.",
    );
  withPlace(
    add(
      program,
      "backup <file>",
      "Copy the data folder's database, without the master key, to a new file. The service may be running.",
      backup,
    ),
  );
}

function addImport(program: Command, add: AddCommand): void {
  withPlace(
    add(
      program,
      "import <source> <files...>",
      "Print what an import of users from another system would do or, with --apply, do it. Sources: generic (.csv, .jsonl), keycloak (the export of a realm: files or a folder), zitadel (an export by its admin API), gatehouse (a file of gatehouse export: an empty place becomes it, or gets it beside others if it is one organization). On a data folder the service must be stopped; with --database processes may serve.",
      importFiles,
    ),
  )
    .option("--organization <id>", "Id or name of the organization that everything comes to.")
    .option(
      "--as <name>",
      "Name of the system that the files are from. Users are found again by it and their id there. Default: the source, for keycloak followed by a colon and the name of the realm.",
    )
    .option(
      "--from <organization>",
      "Id or name of the organization in an export of ZITADEL. Default: the only one that is in it.",
    )
    .option("--apply", "Do it. Nothing is done if anything has a fault.")
    .option("--partial", "Leave out what has a fault, and import the rest.")
    .option(
      "--keep-subjects",
      "Tell applications that are imported the ids that users had there as sub, not those that they have here.",
    )
    .option(
      "--rp-id <domain>",
      "Of keycloak: the WebAuthn relying party id that security keys were registered for, if the login pages here have the same. Default: security keys do not come along.",
    )
    .option("--quiet", "Print only what does not come along, and the numbers.")
    .option(
      "--allow-slow-hashes",
      "Take password hashes that need more than 250 ms or 64 MiB here for each try of a password.",
    )
    .option(
      "--identity <file>",
      "Of an encrypted file of gatehouse export: the file of age-keygen with its key.",
    )
    .addHelpText("after", importHelp);
  const exporting = add(
    program,
    "export [file]",
    "Write everything, or one organization, to a new file of JSON lines, which import gatehouse reads. The service must be stopped.",
    exportInstance,
  );
  withConfiguration(withPlace(exporting))
    .option("--with-secrets", "Also keys, hashes and other secrets, encrypted for --recipient.")
    .option(
      "--recipient <age1…>",
      "Encrypt the file by age for this key (X25519). May be repeated.",
      appendTo,
    );
}

function addDirectories(program: Command, add: AddCommand): void {
  const ldap = program.command("ldap").description("Directories that speak LDAP.");
  withOptions(
    add(
      ldap,
      "sync",
      "Make the users who are linked to directories what these say: profile, groups, and whether they may log in. Leavers are deactivated. On a data folder the service must be stopped; with --database processes may serve.",
      syncDirectories,
    ),
    optionDefinitions.filter(({ name }) => placeOptions.has(name) || name.endsWith("-hosts")),
  )
    .option("--idp <id>", "Id of a directory. May be repeated. Default: all that are active.", appendTo)
    .option("--force", "Deactivate users also if more than a tenth of those of a directory would go.")
    .option("--dry-run", "Change nothing, and print what would be done.");
}

function addKeys(program: Command, add: AddCommand): void {
  const keys = program.command("keys").description("Master keys.");
  withPlace(
    add(
      keys,
      "rotate",
      "Encrypt everything with a new master key. On a data folder it creates the key, and the service must be stopped; with --database it uses the key of keys add, while processes serve.",
      rotateKeys,
    ),
  );
  withPlace(
    add(
      keys,
      "add",
      "With --database: add a new master key to the key file, as the first step of a rotation.",
      addKey,
    ),
  );
}

function addEvents(program: Command, add: AddCommand): void {
  withPlace(
    add(
      program,
      "events",
      "Print events in the order of their sequences, one JSON object per line. The service may be running.",
      printEvents,
    ),
  )
    .option("--follow", "Keep printing new events until Ctrl-C.")
    .option("--aggregate-type <type>", "Only events about objects of this kind, for example project.")
    .option("--aggregate-id <id>", "Only events about the object with this id.")
    .option("--event-type <type>", "Only events of this type, for example project.added.")
    .option(
      "--editor <id>",
      "Only events of changes made by the user with this id, or by the service itself for system.",
    )
    .option("--after <sequence>", "Only events with a larger sequence.")
    .option("--limit <count>", "Maximum number of events.");
}

/** The options that say where the data is. */
const placeOptions: ReadonlySet<string> = new Set([
  "data",
  "database",
  "master-key-file",
  "require-synchronous",
  "dev",
]);

/** The options of the database of a copy. */
const copyOptions: ReadonlySet<string> = new Set(["master-key-file", "require-synchronous", "dev"]);

/** The options that say where the master key is, and under which origin browsers reach the service. */
const setupOptions: ReadonlySet<string> = new Set([
  "listen",
  "data",
  "database",
  "master-key-file",
  "dev",
  "issuer",
]);

/** The options that say what messages go out with. */
const doctorOptions: ReadonlySet<string> = new Set([
  "listen",
  "issuer",
  ...messageOptions.map(({ name }) => name),
]);

function withPlace(command: Command): Command {
  return withOptions(
    command,
    optionDefinitions.filter(({ name }) => placeOptions.has(name)),
  );
}

import { environmentNameOf, type OptionDefinition } from "../config/option.ts";
import { optionDefinitions } from "../config/options.ts";

/** What stands below the options in the help of `import`. */
export const importHelp = `
Each line begins with + (is added), = (is there from an earlier import), ~ (a part cannot come along)
or ! (has a fault). The exit code is 1 if anything has a fault. A run that was interrupted is continued
by starting it again. The files hold secrets: remove them when the import is done.`;

/** Likewise of `doctor`. */
export const doctorHelp = `
Each line begins with ok, warning or FAILED. The exit code is 1 if a check failed. The checks work on a
copy, which is removed afterwards: of a data folder in the folder for temporary files (TMPDIR), or in
the data folder if there is no room; of a PostgreSQL database in temporary tables there. The lines about mail and SMS say what the settings of this
command mean: give it those of gatehouse serve.`;

/** Likewise of `emulator`. */
export const emulatorHelp = `
Of the environment only GATEHOUSE_EMULATOR_TOKEN counts: what tests send as the token, instead of the one
that is printed. At least 16 characters.`;

/** Lists the options that have no flag. */
export function secretsHelp(): string {
  const secrets = (optionDefinitions as readonly OptionDefinition[]).filter(
    (definition) => definition.isSecret,
  );
  const lines = secrets.map(
    ({ name, description }) => `  ${environmentNameOf(name)}\n      ${description}\n`,
  );
  return `
Secrets have no flag, because others can read a command line. They come from the environment, or
from a file whose name is in the variable with _FILE appended:
${lines.join("")}`;
}

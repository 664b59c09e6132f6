import { type Command, Option } from "commander";
import { environmentNameOf, type OptionDefinition } from "../config/option.ts";
import type { Flags } from "../config/values.ts";

/** Adds a flag for each of these options but the secret ones, with its default and its variable in the help. */
export function withOptions(command: Command, definitions: readonly OptionDefinition[]): Command {
  for (const definition of definitions) {
    if (definition.isSecret === true) continue;
    const flags =
      definition.kind === "flag" ? `--${definition.name}` : `--${definition.name} <${definition.value}>`;
    const fallback = definition.default === "" ? "" : ` Default: ${definition.default}.`;
    const option = new Option(
      flags,
      `${definition.description}${fallback} [${environmentNameOf(definition.name)}]`,
    );
    if (definition.kind === "list") option.argParser(appendTo);
    command.addOption(
      option.attributeName() === definition.name ? option : withAttributeName(option, definition.name),
    );
  }
  return command;
}

/** Collects the values of a flag that may be repeated. */
export function appendTo(value: string, earlier: unknown): readonly string[] {
  return Array.isArray(earlier) ? [...(earlier as string[]), value] : [value]; // what this function returned before
}

/** Keeps the name from the table for the parsed value; commander would turn it into camelCase. */
function withAttributeName(option: Option, name: string): Option {
  option.attributeName = () => name;
  return option;
}

/** Adds a command below a parent; one that is hidden is in no help. */
export type AddCommand = (
  parent: Command,
  name: string,
  description: string,
  action: (flags: Flags, values: readonly string[]) => Promise<number>,
  isHidden?: boolean,
) => Command;

import { environmentNameOf, type OptionDefinition } from "./option.ts";
import { optionDefinitions } from "./options.ts";

/** Returns the table of options in Markdown, as README.md shows it. */
export function toOptionsTable(): string {
  const rows = optionDefinitions.map((option: OptionDefinition) => {
    const variable = environmentNameOf(option.name);
    const flag = option.kind === "flag" ? `--${option.name}` : `--${option.name} <${option.value}>`;
    const names = option.isSecret
      ? `\`${variable}\` or \`${variable}_FILE\``
      : `\`${flag}\`<br>\`${variable}\``;
    return `| ${names} | ${option.default === "" ? "" : `\`${option.default}\``} | ${option.description} |`;
  });
  return ["| Option | Default | What it does |", "| --- | --- | --- |", ...rows].join("\n");
}

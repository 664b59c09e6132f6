import { environmentNameOf, type OptionDefinition } from "./option.ts";
import { optionDefinitions } from "./options.ts";

/** Limits and timeouts: they protect the process, and hardly any installation needs others. */
const ofLimits = /^max-|-ms$/;

/** Returns the two tables of options in Markdown, as docs/operate/options.md shows them: settings, and limits. */
export function toOptionsTables(): string {
  const definitions: readonly OptionDefinition[] = optionDefinitions;
  const settings = definitions.filter(({ name }) => !ofLimits.test(name));
  const limits = definitions.filter(({ name }) => ofLimits.test(name));
  return `## Settings

${toTable(settings)}

## Limits

The defaults suit nearly every installation. Leave them alone unless a log line or an error names one of them.

${toTable(limits)}`;
}

function toTable(options: readonly OptionDefinition[]): string {
  const rows = options.map((option) => {
    const variable = environmentNameOf(option.name);
    const flag = option.kind === "flag" ? `--${option.name}` : `--${option.name} <${option.value}>`;
    const names = option.isSecret
      ? `\`${variable}\` or \`${variable}_FILE\``
      : `\`${flag}\`<br>\`${variable}\``;
    return `| ${names} | ${option.default === "" ? "" : `\`${option.default}\``} | ${option.description} |`;
  });
  return ["| Option | Default | What it does |", "| --- | --- | --- |", ...rows].join("\n");
}

import { ConfigError } from "./config-error.ts";
import { environmentNameOf, type OptionDefinition } from "./option.ts";
import { optionDefinitions } from "./options.ts";
import type { Environment } from "./values.ts";

const prefix = "GATEHOUSE_";

/**
 * Maximum distance, after the prefix, at which a name counts as a misspelt option: letters that are wrong, missing,
 * added or swapped. Less for short names: GATEHOUSE_ENV is not GATEHOUSE_DEV.
 */
function maxTyposOf(name: string): number {
  return name.length - prefix.length <= 4 ? 1 : 2;
}

/** Variables that Kubernetes sets in every container for a service named gatehouse. */
const ofKubernetes = /^GATEHOUSE_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_\w+)?)$/;

/**
 * Returns the variables that have our prefix but are not options, so that they can be reported. Throws ConfigError
 * for a name that is close to the name of an option: a typing error must not silently lose a setting. Accepts other
 * names, because other programs on the machine may set variables with that prefix.
 */
export function listUnknownVariables(environment: Environment): readonly string[] {
  const definitions: readonly OptionDefinition[] = optionDefinitions;
  const known = new Set(
    definitions.flatMap(({ name, isSecret }) => {
      const variable = environmentNameOf(name);
      return isSecret === true ? [variable, `${variable}_FILE`] : [variable];
    }),
  );
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(prefix) && !known.has(name) && !ofKubernetes.test(name),
  );
  for (const name of unknown) {
    const meant = [...known].find((candidate) => countTypos(name, candidate) <= maxTyposOf(candidate));
    if (meant !== undefined)
      throw new ConfigError(`${name} is not a variable of gatehouse; did you mean ${meant}?`);
  }
  return unknown.toSorted();
}

/** Returns the distance of two names: the number of letters to change, add, remove, or swap with their neighbour. */
function countTypos(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const at = (up: number, back: number) => rows[row - up]?.[column - back] ?? Infinity;
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const costs = [at(1, 0) + 1, (line[column - 1] ?? Infinity) + 1, at(1, 1) + (isSame ? 0 : 1)];
      line.push(Math.min(...costs, isSwapped && !isSame ? at(2, 2) + 1 : Infinity));
    }
    rows.push(line);
  }
  return rows.at(-1)?.at(-1) ?? Infinity;
}

/** An option of the process. */
export interface OptionDefinition {
  /** Without the leading dashes. The environment variable is GATEHOUSE_ followed by this in UPPER_SNAKE. */
  readonly name: string;
  readonly kind: "text" | "flag" | "list" | "integer";
  /** Placeholder of the value in the help, with its unit. */
  readonly value: string;
  readonly default: string;
  readonly description: string;
  readonly min?: number;
  readonly max?: number;
  /** Accepted values of a text. */
  readonly choices?: readonly string[];
  /** Holds a secret: only its environment variable and file form are offered, because others can read a command line. */
  readonly isSecret?: true;
}

/** Returns the environment variable of an option. */
export function environmentNameOf(name: string): string {
  return `GATEHOUSE_${name.replaceAll("-", "_").toUpperCase()}`;
}

import { ConfigurationError } from "../reading/configuration-error.ts";

/** Where something stands in the file: line and column, from 1. */
export interface Spot {
  readonly line: number;
  readonly column: number;
}

/** Collects what is wrong with a file, so that one run names all of it. */
export interface Mistakes {
  add(spot: Spot, text: string): void;
  /** Throws ConfigurationError with a line for each mistake, in the order of the file; does nothing if there is none. */
  throwIfAny(): void;
}

/** So many mistakes are named. */
const maxShown = 50;

/** Creates an empty collection. `file`: what the lines begin with. */
export function createMistakes(file: string): Mistakes {
  const all: { readonly spot: Spot; readonly text: string }[] = [];
  return {
    add: (spot, text) => void all.push({ spot, text }),
    throwIfAny() {
      if (all.length === 0) return;
      const sorted = all.toSorted(
        (one, other) => one.spot.line - other.spot.line || one.spot.column - other.spot.column,
      );
      const lines = sorted.slice(0, maxShown).map(({ spot, text }) => toMistake(file, spot, text));
      const more = all.length > maxShown ? [`and ${all.length - maxShown} more mistakes`] : [];
      throw new ConfigurationError([...lines, ...more].join("\n"));
    },
  };
}

/** Returns the line about a mistake: `gatehouse.yaml:12:5: …`. */
export function toMistake(file: string, { line, column }: Spot, text: string): string {
  return `${file}:${line}:${column}: ${text}`;
}

/** The four files of a noun; the first one is named after it. */
export const roles = ["<noun>.ts", "commands.ts", "repository.ts", "rpc.ts"] as const;

type Role = (typeof roles)[number];

/** A folder of `src/identity` that holds a noun. */
export interface FeatureShape {
  readonly noun: string;
  /** Files that are not there, each with the reason. */
  readonly without?: Readonly<Partial<Record<Role, string>>>;
  /** Files beside the four, each with the reason. */
  readonly also?: Readonly<Record<string, string>>;
}

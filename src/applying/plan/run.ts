import type { Gatehouse } from "../../client/client.ts";
import { createMistakes } from "../file/mistakes.ts";
import { readConfiguration } from "../file/read-file.ts";
import type { SecretSource } from "../file/secrets.ts";
import { configurationKinds } from "../kinds/configuration-kinds.ts";
import { createNameTable } from "../naming/references.ts";
import { createServiceReader } from "../reading/reader.ts";
import { makePlan, type Plan } from "./make-plan.ts";
import { type NewSecret, newSecretsIn } from "./new-secrets.ts";
import { placeItems, sendItems } from "./send.ts";
import { settleChanges } from "./settle.ts";

/** A configuration, and the service that it is for. */
export interface ConfigurationRun {
  readonly gatehouse: Gatehouse;
  /** The file, as lines about it call it. */
  readonly file: string;
  /** What is in it. */
  readonly content: string;
  readonly secrets: SecretSource;
  /** Whether what the file owns and does not have is removed. */
  readonly isPruning: boolean;
}

/**
 * Compares a configuration with the service. Changes nothing. Throws ConfigurationError that names what is wrong with the file, or what
 * the service would refuse, with line and column; GatehouseError if the service cannot be asked.
 */
export async function planConfiguration(run: ConfigurationRun): Promise<Plan> {
  const { gatehouse, file, content, secrets, isPruning } = run;
  const wanted = readConfiguration(content, { file, kinds: configurationKinds, secrets });
  const reader = createServiceReader(gatehouse);
  const references = createNameTable(reader);
  const plan = await makePlan({ reader, references, mistakes: createMistakes(file), isPruning }, wanted);
  return { ...plan, changes: await settleChanges(gatehouse, plan.changes, file) };
}

/**
 * Makes the changes of a plan in one transaction, and returns the secrets that the service has made for them. Throws ConfigurationError,
 * and nothing is done, if anything that would change was changed since it was read.
 */
export async function applyPlan(
  { gatehouse, file }: Pick<ConfigurationRun, "gatehouse" | "file">,
  { changes }: Plan,
): Promise<readonly NewSecret[]> {
  if (changes.length === 0) return [];
  const placed = placeItems(changes);
  return newSecretsIn(placed, await sendItems(gatehouse, placed, { file, isDry: false }));
}

import { availableParallelism } from "node:os";
import type { Config } from "../config/config.ts";
import type { HashCost } from "../identity/people/passwords/encoded-hash.ts";
import { createPasswordHasher } from "../identity/people/passwords/hasher.ts";
import type { Installation } from "./installation.ts";
import { openBreachedList } from "../kernel/storage/breached-passwords.ts";

/** What users prove their identity with, for calls and pages alike. */
export type Proofs = ReturnType<typeof createProofs>;

/** Creates what users prove their identity with: a process has one hasher. `passwordCost` is as in `AppParts`. */
export function createProofs(
  config: Config,
  { context }: Installation,
  { passwordCost }: { readonly passwordCost?: HashCost | undefined },
) {
  const {
    allowSlowHashes,
    breachedPasswords,
    relyingParties,
    relyingPartySubdomains: allowSubdomains,
    workers,
  } = config;
  return {
    hasher: createPasswordHasher({
      parallelism: Math.max(1, Math.floor(availableParallelism() / workers)),
      maxWaiting: Math.ceil(64 / workers),
      random: context.random,
      cost: passwordCost,
    }),
    allowSlowHashes,
    breached: breachedPasswords === undefined ? undefined : openBreachedList(breachedPasswords),
    relyingParties: { list: relyingParties, allowSubdomains, name: "Gatehouse" },
  };
}

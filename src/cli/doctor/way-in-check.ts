import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Config } from "../../config/config.ts";
import { loginPartyOf } from "../../identity/factors/authenticators/relying-party.ts";
import { findKeptOut, type KeptOut } from "../../identity/factors/ways-in/commands.ts";
import { anyDomain } from "../../identity/factors/ways-in/repository.ts";
import type { Finding } from "../../kernel/storage/finding.ts";

/**
 * Looks for people who hold a role on the instance and cannot sign in, by the settings that this command got: where they say no issuer,
 * keys and passkeys of any domain count.
 */
export async function checkWaysIn(tx: ReadTransaction, config: Config | undefined): Promise<Finding> {
  const check = "ways in";
  const issuer = config?.issuer;
  const parties = { list: config?.relyingParties ?? [] };
  const domain = issuer === undefined ? anyDomain : loginPartyOf(parties, issuer)?.id;
  const sendsMail = config !== undefined && config.mail.kind !== "none";
  const keptOut = await findKeptOut(tx, { domain, sendsMail });
  const parts = kinds.flatMap(({ of, words }) => {
    const ids = keptOut[of];
    return ids.length === 0 ? [] : [`${words}: ${name(ids)}`];
  });
  if (parts.length === 0)
    return { state: "ok", check, detail: "everybody who holds a role on the instance can sign in" };
  const detail = `some who hold a role on the instance cannot sign in by themselves; ${parts.join("; ")}`;
  return { state: "warning", check, detail };
}

const kinds: readonly { readonly of: keyof KeptOut; readonly words: string }[] = [
  { of: "byPolicy", words: "the login policy of the instance keeps them out" },
  {
    of: "withoutWay",
    words: "they have no password, no passkey and no verified address to which a code can go",
  },
  { of: "onlyByProvider", words: "they have only an identity provider of their organization" },
  { of: "locked", words: "they were locked for wrong passwords, unlock them" },
];

/** At most so many are named. */
const maxNamed = 20;

function name(ids: readonly string[]): string {
  const rest = ids.length - maxNamed;
  return `${ids.slice(0, maxNamed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

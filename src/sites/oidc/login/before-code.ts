import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { HookDecision, HookSession, KeptAnswer } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { Authorization } from "../../../identity/logins/authorizations/authorization.ts";
import type { OidcClient } from "../clients/client.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { hasTokenHooks } from "../tokens/before-token.ts";
import { askAboutContents, readTokenContents } from "../tokens/issue-for-authorization.ts";
import { readScopesOfApplication } from "../tokens/scopes.ts";

/** Asks hooks about the tokens of a code before it is given: a refusal is a page then, and the answers go with the code. */
export async function askBeforeCode(
  tx: ReadTransaction,
  hooks: HookSession,
  {
    client,
    authorization,
    issuer,
  }: { readonly client: OidcClient; readonly authorization: Authorization; readonly issuer: string },
): Promise<Pick<HookDecision, "refusal"> & { readonly used: readonly KeptAnswer[] }> {
  if (!(await hasTokenHooks(tx, hooks, client))) return { refusal: undefined, used: [] };
  const scopes = readScopesOfApplication(authorization.scopes.join(" "), client.settings);
  const of = { client, authorization, grant: "authorization_code" };
  const resources = readAskedResources(undefined, issuer);
  const contents = await readTokenContents(tx, { ...of, scopes, resources, nonce: undefined });
  const { refusal } = await askAboutContents(tx, hooks, { ...of, contents });
  return { refusal, used: hooks.decided.get("BEFORE_TOKEN")?.used ?? [] };
}

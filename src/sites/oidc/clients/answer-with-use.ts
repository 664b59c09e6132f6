import type { Database } from "../../../kernel/base/database.ts";
import type { AssertionUse } from "../../../identity/protocol-state/assertion-uses/assertion-use.ts";
import { useAssertion } from "../../../identity/protocol-state/assertion-uses/repository.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";

/**
 * Answers a request of a client. An assertion is used up as soon as it has authenticated the client: if the request is refused before
 * its write, that takes a write of its own. A proof is not: anybody can make one, and so make us write.
 */
export async function answerWithUse<T>(
  database: Pick<Database, "write">,
  request: Omit<OAuthRequest, "assertion">,
  answer: (request: OAuthRequest) => Promise<T>,
): Promise<T> {
  let owed: AssertionUse | undefined;
  const note = (use: AssertionUse) => void (owed = use);
  const settle = () => void (owed = undefined);
  try {
    return await answer({ ...request, assertion: { note, settle } });
  } catch (error) {
    const use = owed;
    if (use !== undefined && error instanceof OAuthError)
      await database.write(async (tx) => void (await useAssertion(tx, use)));
    throw error;
  }
}

import type { Call, Editor } from "../../../base/call.ts";
import type { ReadTransaction } from "../../../base/database.ts";
import type { TokenId, UserId } from "../../../base/ids.ts";
import type { LoginOriginPayload } from "../../../events/login-origin-payload.ts";
import { listRolesAround } from "../../held-roles/carried-roles-repository.ts";
import { isByProviderAlone } from "../../sessions/session.ts";
import { identityProviderOperator, type LoginOrigin } from "./login-origin.ts";

/** The ways that each first factor stands for, and who answers for each. Which of several a login used, nobody has noted. */
const waysByMethod: Readonly<Record<string, string>> = {
  PASSWORD: `SELECT password_creator AS creator, password_made_with_token_id AS made_with_token_id
    FROM users WHERE id = ? AND password_date IS NOT NULL`,
  IDP: "SELECT creator, made_with_token_id FROM idp_links WHERE user_id = ? ORDER BY creation_date, id",
  PASSKEY: `SELECT creator, made_with_token_id FROM passkeys
    WHERE user_id = ? AND state = 'READY' AND creator IS NOT NULL ORDER BY creation_date, id`,
};

/**
 * Finds who else could have made a login of a user in which these methods were proved: whoever answers for the password, a link to
 * an identity elsewhere or a passkey, and otherwise whoever runs the identity provider if it began there alone. A holder of roles on
 * the instance does not stand in for them. Undefined if it can only have been the user.
 */
export async function findLoginOrigin(
  tx: ReadTransaction,
  { userId, methods }: { readonly userId: UserId; readonly methods: readonly string[] },
): Promise<LoginOrigin | undefined> {
  const provider: LoginOrigin = { creator: identityProviderOperator, madeWithTokenId: undefined };
  let holder: LoginOrigin | undefined;
  let isByProvider = isByProviderAlone(methods);
  for (const way of await listWaysOfOthers(tx, { userId, methods })) {
    const origin = { creator: way.creator, madeWithTokenId: way.made_with_token_id ?? undefined };
    if (way.creator === identityProviderOperator) isByProvider = true;
    else if (await holdsOnInstance(tx, way.creator)) holder ??= origin;
    else return origin;
  }
  return isByProvider ? provider : holder;
}

async function listWaysOfOthers(
  tx: ReadTransaction,
  { userId, methods }: { readonly userId: UserId; readonly methods: readonly string[] },
): Promise<readonly WayRow[]> {
  const ways: WayRow[] = [];
  for (const method of methods) {
    const sql = waysByMethod[method];
    if (sql !== undefined) ways.push(...(await tx.all<WayRow>(sql, [userId])));
  }
  return ways.filter(({ creator }) => creator !== userId && creator !== "system");
}

async function holdsOnInstance(tx: ReadTransaction, userId: Editor): Promise<boolean> {
  return (await listRolesAround(tx, { userId }, { kind: "instance" })).some(({ roles }) => roles.length > 0);
}

/** As `findLoginOrigin`, for what a call sets for its own caller. Undefined for another user, and for a call without a login. */
export async function findOwnLoginOrigin(
  tx: ReadTransaction,
  { caller }: Pick<Call, "caller">,
  userId: UserId,
): Promise<LoginOrigin | undefined> {
  if (caller.userId !== userId || caller.login === undefined) return undefined;
  return await findLoginOrigin(tx, { userId, methods: caller.login.methods });
}

/** Returns the values of the columns `creator` and `made_with_token_id` for what an event has set. */
export function toOriginValues({
  editor,
  payload,
}: {
  readonly editor: Editor;
  readonly payload: LoginOriginPayload & { readonly made_with_token_id?: string };
}): readonly [creator: string, madeWithTokenId: string | null] {
  return [payload.login_by ?? editor, payload.made_with_token_id ?? payload.login_with_token_id ?? null];
}

interface WayRow {
  readonly creator: Editor;
  readonly made_with_token_id: TokenId | null;
}

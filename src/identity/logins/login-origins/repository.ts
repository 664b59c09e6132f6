import type { Call, Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import type { LoginOriginPayload } from "../../../kernel/events/login-origin-payload.ts";
import { listRolesAround } from "../../held-roles/carried-roles-repository.ts";
import { holdsOutside } from "../../held-roles/outside.ts";
import { isByProviderAlone } from "../sessions/session.ts";
import { type LoginOrigin, severalOthers, toAnswerable, withProvider } from "./login-origin.ts";

/**
 * The ways that each first factor stands for, and the user responsible for each. It is not recorded which of several a login used.
 */
const waysByMethod: Readonly<Record<string, string>> = {
  PASSWORD: `SELECT password_creator AS creator, password_made_with_token_id AS made_with_token_id
    FROM users WHERE id = ? AND password_date IS NOT NULL`,
  IDP: "SELECT creator, made_with_token_id FROM idp_links WHERE user_id = ? ORDER BY creation_date, id",
  PASSKEY: `SELECT creator, made_with_token_id FROM passkeys
    WHERE user_id = ? AND state = 'READY' AND creator IS NOT NULL ORDER BY creation_date, id`,
};

/**
 * Finds the other people that could have made a login of a user in which these methods were proved: the users who answer for the
 * password, a link to an identity elsewhere or a passkey, and the administrators of the identity provider if it began there alone.
 * If there are several, it is not known which of them made it; only a holder of INSTANCE_OWNER, who may do everything, does not
 * stand in for the others. Undefined if it can only have been the user.
 */
export async function findLoginOrigin(
  tx: ReadTransaction,
  { userId, methods }: { readonly userId: UserId; readonly methods: readonly string[] },
): Promise<LoginOrigin | undefined> {
  let isByProvider = isByProviderAlone(methods);
  const others: LoginOrigin[] = [];
  const owners: LoginOrigin[] = [];
  for (const way of await listWaysOfOthers(tx, { userId, methods })) {
    const { isByProvider: isProvider, maker } = toAnswerable(way.creator);
    isByProvider ||= isProvider;
    if (maker === undefined || maker === userId) continue;
    const among = (await ownsInstance(tx, maker)) ? owners : others;
    addOrigin(among, { creator: maker, madeWithTokenId: way.made_with_token_id ?? undefined });
  }
  const [first, second] = others.length > 0 ? others : owners.slice(0, 1);
  const origin = second === undefined ? first : { creator: severalOthers, madeWithTokenId: undefined };
  if (!isByProvider) return origin;
  return { creator: withProvider(origin?.creator), madeWithTokenId: origin?.madeWithTokenId };
}

function addOrigin(origins: LoginOrigin[], { creator, madeWithTokenId }: LoginOrigin): void {
  const isKnown = origins.some(
    (known) => known.creator === creator && known.madeWithTokenId === madeWithTokenId,
  );
  if (!isKnown) origins.push({ creator, madeWithTokenId });
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

async function ownsInstance(tx: ReadTransaction, userId: Editor): Promise<boolean> {
  const held = await listRolesAround(tx, { userId }, { kind: "instance" });
  return held.some(({ roles }) => roles.includes("INSTANCE_OWNER"));
}

/**
 * As `findLoginOrigin`, for what a call sets for a user in the login that it is made with. For another user than the caller, only
 * the administrators of the identity provider count, beside the caller; but they cannot make a login of a caller with roles
 * outside, which takes a factor of ours. Undefined for a call without a login.
 */
export async function findLoginOriginOf(
  tx: ReadTransaction,
  { caller }: Pick<Call, "caller">,
  userId: UserId,
): Promise<LoginOrigin | undefined> {
  if (caller.login === undefined) return undefined;
  const { methods } = caller.login;
  const origin = await findLoginOrigin(tx, { userId: caller.userId, methods });
  if (caller.userId === userId) return origin;
  const isByProvider = origin !== undefined && toAnswerable(origin.creator).isByProvider;
  if (!isByProvider || holdsOutside(caller.held, caller.organizationId)) return undefined;
  return { creator: withProvider(caller.userId), madeWithTokenId: undefined };
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

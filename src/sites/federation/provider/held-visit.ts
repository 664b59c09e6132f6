import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { removeInteraction } from "../../../identity/logins/interactions/repository.ts";
import type { ProviderVisit } from "../../../identity/protocol-state/provider-visits/provider-visit.ts";
import { readInteractionCookie } from "../../login/cookies/interaction-cookies.ts";
import { loadInteraction } from "../../login/flow/interaction-store.ts";
import { type InteractionRequest, readInteractionState } from "../../login/flow/visits.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import type { LoginState } from "../../login/login-state.ts";
import { PageRefusal } from "../../login/page-refusal.ts";

/** A request by which a browser comes back, whatever login it is of. */
export type ReturnRequest = Omit<InteractionRequest, "id">;

/** Returns the visit that `find` finds. If this browser is not the one that was sent, the visit ends with its interaction. */
export async function requireHeldVisit<Visit extends ProviderVisit>(
  request: ReturnRequest,
  find: (tx: ReadTransaction, nowMs: number) => Promise<Visit | undefined>,
): Promise<Visit> {
  const { exchange, issuer } = request;
  const { context } = request.ports;
  const nowMs = context.clock.nowMs();
  const { visit, isHeld } = await context.database.read(async (tx) => {
    const found = await find(tx, nowMs);
    if (found === undefined) return { visit: undefined, isHeld: false };
    const id = found.interactionId;
    const cookie = readInteractionCookie(exchange, issuer, id);
    const interaction = cookie && (await loadInteraction(context, tx, { id, cookie, nowMs }));
    return { visit: found, isHeld: interaction !== undefined };
  });
  if (visit === undefined) throw new PageRefusal("begin-again");
  if (isHeld) return visit;
  await writeFor(request, (tx) => removeInteraction(tx, visit.interactionId)); // and the visit with it
  throw new PageRefusal("begin-again");
}

/** Reads how the login stands, or returns why it goes no further: raised in the write, that would undo the end of the visit. */
export async function readReturnedState(
  tx: WriteTransaction,
  request: InteractionRequest,
): Promise<LoginState | PageRefusal> {
  try {
    return await readInteractionState(tx, request);
  } catch (error) {
    if (error instanceof PageRefusal) return error;
    throw error;
  }
}

import { hash } from "node:crypto";
import { type InteractionId, toId } from "../../../kernel/base/ids.ts";
import { removeInteraction } from "../../../identity/logins/interactions/repository.ts";
import {
  removeJwtLoginOfHandle,
  takeBroughtIdentity,
} from "../../../identity/protocol-state/jwt-logins/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { readInteractionCookie } from "../cookies/interaction-cookies.ts";
import { openIdentity } from "../external/sealed-identity.ts";
import { takeIdentity } from "../external/take-identity.ts";
import { PageRefusal } from "../page-refusal.ts";
import { idpPage } from "../pages/idp.ts";
import { loadInteraction } from "./interaction-store.ts";
import { changeInteraction, type InteractionRequest } from "./visits.ts";
import { writeFor } from "./write-for.ts";

/** Says whether the browser brings a handle, and so comes back from a gateway. */
export function isBringing(request: InteractionRequest): boolean {
  return handlesOf(request).length > 0;
}

/**
 * Takes the identity whose handle a browser brings, if the browser is the one in which the interaction has begun. For any other,
 * handle and interaction end: the person that began the interaction may have sent its link to somebody else, to be let in as them.
 */
export async function takeBrought(request: InteractionRequest): Promise<Reply> {
  const { ports, id } = request;
  const [handle = "", ...more] = handlesOf(request);
  if (more.length > 0 || !/^[\w-]{43}$/.test(handle)) throw new PageRefusal("bad-request");
  const asked = { interactionId: id, handleHash: hash("sha256", handle, "base64url") };
  if (!(await isOfBrowser(request))) {
    await writeFor(request, async (tx) => {
      if (await removeJwtLoginOfHandle(tx, asked)) await removeInteraction(tx, toId<InteractionId>(id));
    });
    throw new PageRefusal("begin-again");
  }
  const { keyring, clock } = ports.context;
  // A write of its own: whatever becomes of the identity, the handle is used up.
  const sealed = await writeFor(request, (tx) => takeBroughtIdentity(tx, { ...asked, nowMs: clock.nowMs() }));
  const identity = sealed && openIdentity(keyring, id, sealed);
  if (identity === undefined) throw new PageRefusal("provider-refused");
  return await changeInteraction(request, idpPage, takeIdentity(ports.context, identity));
}

function handlesOf({ exchange }: InteractionRequest): readonly string[] {
  return new URLSearchParams(exchange.query).getAll("h");
}

async function isOfBrowser({ ports, exchange, issuer, id }: InteractionRequest): Promise<boolean> {
  const cookie = readInteractionCookie(exchange, issuer, id);
  if (cookie === undefined) return false;
  const { context } = ports;
  const nowMs = context.clock.nowMs();
  const held = await context.database.read((tx) => loadInteraction(context, tx, { id, cookie, nowMs }));
  return held !== undefined;
}

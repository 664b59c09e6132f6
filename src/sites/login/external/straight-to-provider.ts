import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { straightNote } from "../interaction.ts";
import type { LoginVisit } from "../login-page.ts";
import { findOfferedProvider } from "./offered-providers.ts";

/**
 * Sends a browser to the identity provider that the application has named, the first time. Undefined: there is none that the login
 * offers, or the browser was sent before; a user who comes back without having logged in there may choose another way.
 */
export async function goStraightToProvider(visit: LoginVisit): Promise<Reply | undefined> {
  const { ports, state } = visit;
  const { request, notes } = state.interaction;
  const id = request.identityProviderId;
  if (id === undefined || notes[straightNote] !== undefined) return undefined;
  const provider = await ports.context.database.read((tx) => findOfferedProvider(tx, state, id));
  if (provider === undefined) return undefined;
  await visit.remember(straightNote, id);
  return await ports.providers.begin(visit, provider);
}

import { hash } from "node:crypto";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import {
  findVisitOfAnswer,
  keepProviderAnswer,
  type AnsweredVisit,
} from "../../../identity/protocol-state/provider-visits/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { newCookieValue } from "../../login/cookies/cookies.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { redirectTo } from "../../login/layout.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { type ReturnRequest, requireHeldVisit } from "./held-visit.ts";
import { hashState } from "./sealed-visit.ts";

/** How long a browser may take from its POST until it brings the handle: one redirect. */
const answerMs = 60_000;

/**
 * Keeps what a provider makes a browser post, and sends the browser on to the same path with a handle. A form that comes from another
 * site is without the cookie of the interaction, so nothing of it is checked here but that it belongs to a visit, and the browser
 * with the handle still has to have the cookie. A later answer to the same visit takes the place of a former one.
 */
export async function keepAnswer(
  request: ReturnRequest,
  { state, answer }: { readonly state: string; readonly answer: string },
): Promise<Reply> {
  const { ports, issuer, exchange } = request;
  const { clock, keyring, random } = ports.context;
  const handle = newCookieValue(random).reveal();
  const answerHash = hash("sha256", handle, "base64url");
  const nowMs = clock.nowMs();
  const kept = {
    hash: hashState(state),
    answerHash,
    answer: keyring.encrypt("provider-visit", Buffer.from(answer), answerHash),
    nowMs,
    expirationMs: nowMs + answerMs,
  };
  if (!(await writeFor(request, (tx) => keepProviderAnswer(tx, kept)))) throw new PageRefusal("begin-again");
  return redirectTo(`${issuer}${exchange.path}?h=${handle}`);
}

/** A visit that has come back, with what was kept of it. */
export interface BroughtAnswer {
  readonly visit: AnsweredVisit;
  readonly answer: string;
}

/** Finds the visit of the handle that a browser brings. If it is not the browser that was sent, the visit ends with its interaction. */
export async function requireAnswer(request: ReturnRequest): Promise<BroughtAnswer> {
  const [handle = "", ...more] = new URLSearchParams(request.exchange.query).getAll("h");
  if (more.length > 0 || !/^[\w-]{43}$/.test(handle)) throw new PageRefusal("bad-request");
  const answerHash = hash("sha256", handle, "base64url");
  const visit = await requireHeldVisit(request, (tx, nowMs) => findVisitOfAnswer(tx, { answerHash, nowMs }));
  const answer = openAnswer(request.ports.context.keyring, visit, answerHash);
  if (answer === undefined) throw new PageRefusal("begin-again");
  return { visit, answer };
}

function openAnswer(keyring: Keyring, { answer }: AnsweredVisit, answerHash: string): string | undefined {
  if (!keyring.keyIds.includes(answer.keyId)) return undefined;
  return Buffer.from(keyring.decrypt("provider-visit", answer, answerHash)).toString();
}

import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type GoodProof, checkProof, toProofChallenge } from "../../../identity/protocol-state/dpop/proof.ts";
import { useProof } from "../../../identity/protocol-state/dpop/use-proof.ts";
import { noteLeftOut } from "../../../identity/claim-mappings/left-out.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import { isFormType } from "../../../kernel/http/bodies/form-type.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { maxFormBytes, parseForm } from "../requests/form.ts";
import { signalOf } from "../requests/gone-signal.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { IssuePorts } from "../tokens/issue.ts";
import { findLiveAccessToken, readPresentedToken } from "../tokens/presented-token.ts";
import { readToldClaims } from "../tokens/read-told-claims.ts";
import { readSubject } from "../tokens/subject.ts";
import { isForApisAlone } from "../tokens/token-apis.ts";
import { readTokenReach } from "../tokens/token-reach.ts";
import { endpointPaths } from "./paths.ts";

/** What userinfo is answered with. */
export interface UserinfoPorts extends IssuePorts {
  readonly bodies: BodyReader;
}

/** The parts of a request that identify its caller. */
type Asking = Pick<Exchange, "header" | "verb" | "answering" | "isGone" | "body">;

interface SentToken {
  readonly text: string;
  /** Whether it was sent in the scheme of tokens that are bound to a key. */
  readonly isBound: boolean;
}

/**
 * Answers what is known of the user of an access token, as far as its scopes go (OpenID Connect Core §5.3). The token comes in the
 * header, or in the form of a POST (RFC 6750 §2.1, §2.2). One that is bound to a key comes in the header with a proof, and another
 * one without (RFC 9449 §7). Raises invalid_token unless the token holds at this instant (RFC 6750 §3.1), invalid_request for a
 * token in both places, invalid_dpop_proof, and insufficient_scope for a token without openid.
 */
export async function readUserinfo(ports: UserinfoPorts, asking: Asking, issuer: string): Promise<Claims> {
  const { text, isBound } = await readSentToken(ports, asking);
  try {
    const proof = isBound ? await readProofOf(ports, asking, { text, issuer }) : undefined;
    const answer = await tell(ports, { text, issuer, proof });
    const signal = signalOf(asking);
    const fault = proof && (await useProof(ports.context.database, proof.use, { signal }));
    if (fault !== undefined) throw new OAuthError("invalid_dpop_proof", fault);
    return answer;
  } catch (error) {
    throw isBound && error instanceof OAuthError ? withProofChallenge(error) : error;
  }
}

/** A query is no place for a token: it stays in logs and histories (RFC 6750 §2.3, §5.3). */
async function readSentToken({ bodies }: Pick<UserinfoPorts, "bodies">, asking: Asking): Promise<SentToken> {
  const authorization = asking.header("authorization");
  const isForm = asking.verb === "POST" && isFormType(asking.header("content-type"));
  const posted = isForm
    ? parseForm(await bodies.read(asking, maxFormBytes)).form.get("access_token")
    : undefined;
  if (posted !== undefined && authorization !== undefined) throw tokenSentTwice();
  if (posted !== undefined) return { text: posted, isBound: false };
  const [, scheme, text] = /^(bearer|dpop) +(\S+) *$/i.exec(authorization ?? "") ?? [];
  if (scheme === undefined || text === undefined) throw tokenMissing();
  return { text, isBound: scheme.toLowerCase() === "dpop" };
}

interface Question {
  readonly text: string;
  readonly issuer: string;
  readonly proof: GoodProof | undefined;
}

async function tell(ports: IssuePorts, { text, issuer, proof }: Question): Promise<Claims> {
  const { database, clock } = ports.context;
  await database.refresh(); // another process may have rotated its keys
  const presented = await readPresentedToken(ports, { text, issuer });
  const { subject, read } = await database.read(async (tx: ReadTransaction) => {
    const live = await findLiveAccessToken(tx, presented, { nowMs: clock.nowMs(), issuer });
    if (live === undefined || live.token.jkt !== proof?.jkt) throw tokenInvalid();
    if (proof !== undefined && !live.takesProofBy(proof.algorithm)) throw algorithmRefused();
    const { application, token, authorization } = live;
    // A client that got the token from another one did not ask for the claims.
    const claims = token.exchanges.length === 0 ? authorization?.claims : undefined;
    const { userId } = live.token;
    const { scopes, audiences, consent } = await readTokenReach(tx, live);
    if (audiences.length === 0) throw tokenInvalid();
    if (!scopes.wantsIdToken) throw scopeMissing();
    const named = await readSubject(tx, application, userId);
    if (isForApisAlone(token)) return { subject: named, read: undefined };
    const about = { place: "userinfo", userId, scopes, application, consent, claims } as const;
    return { subject: named, read: await readToldClaims(tx, about) };
  });
  await noteLeftOut(ports.context, read?.leftOut);
  return { sub: subject, ...read?.told };
}

async function readProofOf(
  { context }: IssuePorts,
  asking: Asking,
  { text, issuer }: Omit<Question, "proof">,
): Promise<GoodProof> {
  const url = `${issuer}${endpointPaths.userinfo}`;
  const request = { verb: asking.verb, url, accessToken: text, nowMs: context.clock.nowMs() };
  const checked = await checkProof(asking.header("dpop") ?? "", request);
  if ("fault" in checked) throw new OAuthError("invalid_dpop_proof", checked.fault);
  return checked.proof;
}

/** RFC 6750 §3.1: a request without a token learns nothing but the schemes. */
function tokenMissing(): OAuthError {
  const description =
    "send an access token in the header authorization: Bearer <token>, or DPoP <token>; or post it as access_token";
  return new OAuthError("invalid_token", description, {
    challenge: `Bearer realm="gatehouse", ${toProofChallenge()}`,
  });
}

/** RFC 6750 §2, §3.1: a client uses one way for each request. */
function tokenSentTwice(): OAuthError {
  const description = "send the access token in the header or in the form, never in both";
  return new OAuthError("invalid_request", description, {
    challenge: `Bearer realm="gatehouse", error="invalid_request", error_description="${description}"`,
  });
}

/** RFC 9449 §7.1: a client that has sent a proof gets the error in the scheme of proofs. */
function withProofChallenge({ code, message }: OAuthError): OAuthError {
  const status = code === "insufficient_scope" ? 403 : 401;
  return new OAuthError(code, message, { status, challenge: toProofChallenge(code, message) });
}

function algorithmRefused(): OAuthError {
  return new OAuthError("invalid_dpop_proof", "alg of the DPoP proof is none that the application may use");
}

function tokenInvalid(): OAuthError {
  return new OAuthError(
    "invalid_token",
    "the token is malformed, unknown, expired or revoked, or is not sent as it is bound",
  );
}

function scopeMissing(): OAuthError {
  return new OAuthError("insufficient_scope", "the token was not asked for with the scope openid");
}

import type { FeatureContext } from "../../../identity/context.ts";
import { type RegisteredClient, registerClient } from "../../../identity/external-clients/registration.ts";
import type { ExternalClientMetadata } from "../../../identity/applications/oidc/external-client.ts";
import type { OAuthMethod } from "../../../identity/applications/oauth/oauth-application.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { networkOf } from "../../../kernel/base/network.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { findTries, putTries } from "../clients/repository.ts";
import { type MetadataRule, readClientMetadata } from "../external/client-metadata.ts";
import { decodeUtf8 } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";

/** What registrations are answered with. */
export interface RegistrationPorts {
  readonly context: Pick<FeatureContext, "database" | "clock" | "keyring" | "log" | "random">;
  readonly bodies: BodyReader;
}

const maxBytes = 16_384;
const maxOfAddress = 20;
const dayMs = 24 * 3_600_000;

const methods: ReadonlyMap<string, OAuthMethod> = new Map([
  ["client_secret_basic", "BASIC"],
  ["client_secret_post", "POST"],
  ["none", "NONE"],
  ["private_key_jwt", "PRIVATE_KEY_JWT"],
]);

const rule: MetadataRule = {
  defaultName: "Unnamed client",
  defaultMethod: "client_secret_basic", // RFC 7591 §2
  methods,
  takesJwksUri: false,
};

/**
 * Registers the client that describes itself (RFC 7591 §3.1), and answers with its client id, its secret if it has one, and what counts of
 * the description. There is no way to read or change it later (RFC 7592). Raises invalid_redirect_uri, invalid_client_metadata,
 * unapproved_software_statement, and temporarily_unavailable: 429 for the 21st registration of an address within a day, 503 if there is
 * no room. Raises access_denied (403) while the instance lets no clients register.
 */
export async function answerRegistration(ports: RegistrationPorts, exchange: Exchange): Promise<object> {
  const { context, bodies } = ports;
  if (!/^\s*application\/json\s*(?:;|$)/i.test(exchange.header("content-type") ?? ""))
    throw new OAuthError("invalid_client_metadata", "the content type must be application/json");
  const metadata = readClientMetadata(parseObject(await bodies.read(exchange, maxBytes)), rule);
  if ("code" in metadata) throw new OAuthError(metadata.code, metadata.description);
  const nowMs = context.clock.nowMs();
  const network = networkOf(exchange.remoteAddress) ?? "";
  const hash = Buffer.from(context.keyring.mac("holder", `registration ${network}`).value).toString(
    "base64url",
  );
  const findBefore = async (tx: ReadTransaction) =>
    (await findTries(tx, hash, nowMs)) ?? { count: 0, expirationMs: nowMs + dayMs };
  const known = await context.database.read(findBefore); // a flood takes no turn of those that write
  if (known.count >= maxOfAddress) throw tooMany(known.expirationMs - nowMs);
  const registered = await context.database.write(async (tx) => {
    const before = await findBefore(tx);
    if (before.count >= maxOfAddress) return tooMany(before.expirationMs - nowMs);
    const client = await registerClient(context, tx, metadata);
    if (typeof client !== "string") await putTries(tx, hash, { ...before, count: before.count + 1 });
    return client;
  });
  if (registered instanceof OAuthError) throw registered;
  if (registered === "off")
    throw new OAuthError("access_denied", "clients may not register themselves here", { status: 403 });
  if (registered === "full")
    throw new OAuthError("temporarily_unavailable", "there are too many clients; try again later", {
      status: 503,
      retryAfterMs: 60_000,
    });
  return toAnswer(registered, { metadata, nowMs });
}

function tooMany(retryAfterMs: number): OAuthError {
  return new OAuthError("temporarily_unavailable", "too many clients were registered at this address", {
    status: 429,
    retryAfterMs,
  });
}

/** RFC 7591 §3.2.1: all that was registered, as it counts. */
function toAnswer(
  { id, secret }: RegisteredClient,
  { metadata, nowMs }: { readonly metadata: ExternalClientMetadata; readonly nowMs: number },
): object {
  const { name, redirectUris, grantTypes, appType, method, keys } = metadata;
  const [methodName] = [...methods].find(([, each]) => each === method) ?? [];
  return {
    client_id: id,
    client_id_issued_at: Math.floor(nowMs / 1000),
    ...(secret === undefined ? {} : { client_secret: secret.reveal(), client_secret_expires_at: 0 }),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: grantTypes.map((type) => type.toLowerCase()),
    response_types: ["code"],
    application_type: appType.toLowerCase(),
    token_endpoint_auth_method: methodName,
    ...(keys.length === 0
      ? {}
      : { jwks: { keys: keys.map(({ id: kid, publicKey }) => Object.assign({ kid }, publicKey)) } }),
  };
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof OAuthError)) throw error;
  }
  throw new OAuthError("invalid_client_metadata", "the body must be a JSON object");
}

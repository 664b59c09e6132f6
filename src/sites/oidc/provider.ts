import type { Database } from "../../kernel/base/database.ts";
import type { SigningKeyCommands } from "../../identity/signing-keys/commands.ts";
import type { BodyReader } from "../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { BrowserLogouts } from "../login/standalone/browser-logouts.ts";
import { createLayout } from "../login/layout.ts";
import type { Logins } from "../login/logins.ts";
import { PageRefusal } from "../login/page-refusal.ts";
import { answerWithUse } from "./clients/answer-with-use.ts";
import { createKeyImport } from "./clients/key-imports.ts";
import { createKnownClients } from "./clients/known-clients.ts";
import { answerAuthorization } from "./endpoints/authorize.ts";
import { answerConsole, type ReadFirstAnswers } from "./endpoints/console-tokens.ts";
import { toProviderMetadata, toResourceMetadata } from "./endpoints/discovery.ts";
import { answerDeviceAuthorization } from "./endpoints/device-authorization.ts";
import { showDeviceEnd, showDevicePage, takeUserCode } from "./endpoints/device.ts";
import { confirmLogout, endSession, showLogout } from "./endpoints/end-session.ts";
import { introspectToken } from "./endpoints/introspection.ts";
import { readKeySet } from "./endpoints/keys.ts";
import { endpointPaths } from "./endpoints/paths.ts";
import { revokeToken } from "./endpoints/revocation.ts";
import { answerTokenRequest } from "./endpoints/token.ts";
import { pushAuthorizationRequest } from "./endpoints/pushed-authorization.ts";
import { readUserinfo } from "./endpoints/userinfo.ts";
import { decodeUtf8, maxFormBytes, parseForm, parseParameters, requireFormType } from "./requests/form.ts";
import type { Parameters } from "./requests/form.ts";
import { signalOf } from "./requests/gone-signal.ts";
import { OAuthError } from "./requests/oauth-error.ts";
import type { OAuthRequest } from "./requests/oauth-request.ts";
import { answerRegistration } from "./endpoints/registration.ts";
import { findExternalClientSettings } from "../../identity/applications/external/repository.ts";
import { noExternalClients } from "../../identity/applications/external/settings.ts";
import type { DocumentFetcher } from "./external/client-document.ts";
import { createDocumentClients } from "./external/document-clients.ts";
import { requireDocument, withDocuments } from "./external/known-documents.ts";
import { createKnownReach } from "./tokens/known-reach.ts";
import type { IssuePorts } from "./tokens/issue.ts";

/** What the provider is made of. */
export interface ProviderOptions extends Omit<IssuePorts, "findClient" | "importKey" | "knownReach"> {
  readonly signingKeys: SigningKeyCommands;
  readonly bodies: BodyReader;
  readonly logins: Logins;
  readonly browserLogouts: BrowserLogouts;
  readonly readFirstAnswers: ReadFirstAnswers;
  /** Fetches the documents of clients that nobody has created. */
  readonly fetcher: DocumentFetcher;
}

/** Answers a request to one endpoint. The issuer comes with each: a free port is known only once it is open. */
export type Endpoint = (exchange: Exchange, issuer: string) => Promise<Reply>;

/** The endpoints of the provider. */
export interface Provider {
  readonly metadata: Endpoint;
  /** Of our own API. */
  readonly resourceMetadata: Endpoint;
  readonly keys: Endpoint;
  readonly pushedAuthorization: Endpoint;
  readonly registration: Endpoint;
  readonly token: Endpoint;
  readonly introspection: Endpoint;
  readonly revocation: Endpoint;
  readonly userinfo: Endpoint;
  /** The tokens of the console, if somebody is signed in to the browser. */
  readonly consoleTokens: Endpoint;
  readonly deviceAuthorization: Endpoint;
  /** These and all that follow answer browsers. They raise PageRefusal. */
  readonly authorization: Endpoint;
  readonly endSession: Endpoint;
  /** A logout that was begun; the last part of the path names it. */
  readonly pendingLogout: Endpoint;
  readonly device: Endpoint;
  /** How the login of a device has ended; the last part of the path says it. */
  readonly deviceEnd: Endpoint;
}

/** Creates the provider. Loaded with the first request, so that a start does not wait for it. */
export function createProvider(options: ProviderOptions): Provider {
  const { bodies, logins } = options;
  const { documents, ...finders } = createFinders(options);
  const ports: IssuePorts = { ...options, ...finders, importKey: createKeyImport() };
  const logoutPorts = { ...options, layout: createLayout(logins.brands) };
  const answerClient = createAnswerToClients(options);
  const answerBy =
    (path: string, answer: (made: IssuePorts, request: OAuthRequest) => Promise<object>): Endpoint =>
    async (exchange, issuer) =>
      toSecretReply(await answerClient(exchange, { issuer, path }, (request) => answer(ports, request)));
  return {
    metadata: async (exchange, issuer) =>
      toPublicReply(toProviderMetadata(issuer, await readAsked(options.context.database, exchange))),
    resourceMetadata: async (_exchange, issuer) => toPublicReply(toResourceMetadata(issuer)),
    keys: async () => toPublicReply(await readKeySet(options)),
    async pushedAuthorization(exchange, issuer) {
      const to = { issuer, path: endpointPaths.pushedAuthorization };
      return toCreatedReply(
        await answerClient(exchange, to, (request) => pushAuthorizationRequest(ports, request)),
      );
    },
    registration: async (exchange) => toCreatedReply(await answerRegistration(options, exchange)),
    token: answerBy(endpointPaths.token, answerTokenRequest),
    introspection: answerBy(endpointPaths.introspection, introspectToken),
    deviceAuthorization: answerBy(endpointPaths.deviceAuthorization, answerDeviceAuthorization),
    async revocation(exchange, issuer) {
      const to = { issuer, path: endpointPaths.revocation };
      await answerClient(exchange, to, (request) => revokeToken(ports, request));
      return toSecretReply({}); // RFC 7009 §2.2 wants the status alone, but there are clients that read JSON in any case
    },
    async userinfo(exchange, issuer) {
      return toSecretReply(await readUserinfo({ ...ports, bodies }, exchange, issuer));
    },
    async consoleTokens(exchange, issuer) {
      const { tokens, cookies } = await answerConsole({ ...ports, ...options }, exchange, issuer);
      return toSecretReply(tokens, cookies);
    },
    async authorization(exchange, issuer) {
      const parameters = await readParameters(exchange, bodies);
      await requireDocument(documents, exchange, parameters);
      return await answerAuthorization({ ...ports, logins }, exchange, { issuer, parameters });
    },
    async endSession(exchange, issuer) {
      return await endSession(logoutPorts, { exchange, issuer }, await readParameters(exchange, bodies));
    },
    async pendingLogout(exchange, issuer) {
      const id = partBelow(exchange, endpointPaths.endSession);
      const answer = exchange.verb === "POST" ? confirmLogout : showLogout;
      return await answer(logoutPorts, { exchange, issuer }, id);
    },
    async device(exchange, issuer) {
      const answer = exchange.verb === "POST" ? takeUserCode : showDevicePage;
      return await answer(logoutPorts, { exchange, issuer });
    },
    async deviceEnd(exchange, issuer) {
      const end = partBelow(exchange, endpointPaths.device);
      return showDeviceEnd(logoutPorts, { exchange, issuer }, end);
    },
  };
}

/** Creates what finds clients, and what they reach, and remembers it. */
function createFinders(options: Pick<ProviderOptions, "context" | "fetcher">) {
  const { database } = options.context;
  const documents = createDocumentClients(options);
  const findClient = withDocuments(documents, createKnownClients(database));
  return { documents, findClient, knownReach: createKnownReach(database) };
}

/** What the client made is there from now on (RFC 9126 §2.2, RFC 7591 §3.2.1). */
function toCreatedReply(answer: object): Reply {
  return { ...toSecretReply(answer), status: 201 };
}

/** What discovery tells: which clients may introduce themselves, and the document that is asked for. */
async function readAsked(database: Pick<Database, "read">, { path }: Pick<Exchange, "path">) {
  const { kinds } = (await database.read(findExternalClientSettings)) ?? noExternalClients;
  return { kinds, isOfOAuth: path.endsWith("/oauth-authorization-server") };
}

/** Returns the part of the path below another one. Raises the page of an error if that is none, or more than one. */
function partBelow({ path }: Pick<Exchange, "path">, above: string): string {
  const part = path.slice(above.length + 1);
  if (part === "" || part.includes("/")) throw new PageRefusal("not-found");
  return part;
}

/** Creates what reads the request of a client that authenticates, and lets an endpoint answer it. */
function createAnswerToClients({ context, bodies }: Pick<ProviderOptions, "context" | "bodies">) {
  return async <T>(
    exchange: Exchange,
    to: { readonly issuer: string; readonly path: string },
    answer: (request: OAuthRequest) => Promise<T>,
  ): Promise<T> =>
    await answerWithUse(context.database, await readRequest(exchange, { ...to, bodies }), answer);
}

async function readRequest(
  exchange: Exchange,
  { issuer, bodies, path }: { readonly issuer: string; readonly bodies: BodyReader; readonly path: string },
): Promise<Omit<OAuthRequest, "assertion">> {
  requireFormType(exchange.header("content-type"));
  return {
    issuer,
    endpoint: `${issuer}${path}`,
    tokenEndpoint: `${issuer}${endpointPaths.token}`,
    verb: exchange.verb,
    ...parseForm(await bodies.read(exchange, maxFormBytes)),
    authorization: exchange.header("authorization"),
    dpop: exchange.header("dpop"),
    remoteAddress: exchange.remoteAddress,
    requestId: exchange.requestId,
    makeSignal: () => signalOf(exchange),
  };
}

/** Reads what a browser brings from an application: a query, or a form. Raises the page of an error for what is neither. */
async function readParameters(exchange: Exchange, bodies: BodyReader): Promise<Parameters> {
  try {
    if (exchange.verb !== "POST") return parseParameters(exchange.query ?? "");
    requireFormType(exchange.header("content-type"));
    return parseParameters(decodeUtf8(await bodies.read(exchange, maxFormBytes)));
  } catch (error) {
    if (error instanceof OAuthError) throw new PageRefusal("bad-application-request");
    throw error;
  }
}

/** Anybody may read these documents, and keep them for five minutes. */
function toPublicReply(document: object): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
    body: JSON.stringify(document),
  };
}

/** RFC 6749 §5.1: an answer with a token, or about one, is not kept, by anybody. */
function toSecretReply(answer: object, cookies: Reply["headers"] = {}): Reply {
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      pragma: "no-cache",
      ...cookies,
    },
    body: JSON.stringify(answer),
  };
}

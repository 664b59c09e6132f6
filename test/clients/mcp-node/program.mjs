// What the programs of this folder share. Each of them is an MCP server at `/mcp`, another one at `/other`, and a client that knows
// nothing but their URLs: `/login` begins, and the page at the end says what came of it, step by step.
const [issuer, clientMetadataUrl, credentials, port] = process.argv.slice(2);
const url = `http://localhost:${port}`;

/** What both are told: `credentials` are those of the API that the server is, and `document` describes the client. */
export const program = { issuer, clientMetadataUrl, credentials, url, redirectUri: `${url}/callback` };

/** The servers, and the scopes that all of their tools need, and one of them. */
export const [server, other] = [new URL(`${url}/mcp`), new URL(`${url}/other`)];
export const [scope, moreScope] = ["tools", "more"];

/** Asks the authorization server what a token is good for at the API whose credentials these are (RFC 7662). */
export async function introspect(token, resource) {
  const answer = await fetch(`${issuer}/oauth/v2/introspect`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(JSON.parse(credentials)[resource])}` },
    body: new URLSearchParams({ token }),
  });
  return await answer.json();
}

/** Keeps in memory what a client is to keep; `clientMetadataUrl` is absent for one that registers itself. */
export function keepInMemory(more) {
  const kept = {};
  return {
    kept,
    redirectUrl: program.redirectUri,
    clientMetadata: {
      client_name: "Agent",
      redirect_uris: [program.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (location) => void (kept.location = location),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    ...more,
  };
}

/** Does one step. Returns what it says: the id of the user, or what went wrong. */
export async function attempt(step) {
  try {
    return await step();
  } catch (error) {
    return `failed: ${error.stack ?? error}`;
  }
}

/** Requires that a client has become what it is called: one with a document is named by the document's URL. */
export function requireDescribed({ kept }, said) {
  const { client_id: clientId } = kept.client ?? {};
  return clientId === program.clientMetadataUrl ? said : `failed: ${said}, as ${clientId}`;
}

/** Sends a token to the other server. Returns whose it is if it is refused there (and taken by the first one before). */
export async function refuse(tokens) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = {
    authorization: `Bearer ${tokens?.access_token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const { status } = await fetch(other, { method: "POST", headers, body });
  if (status !== 401) return `failed: ${status}`;
  return JSON.parse(Buffer.from(tokens?.access_token.split(".")[1], "base64url").toString()).sub;
}

/**
 * Serves the program, and says when it does. `run` gets a function that sends the browser to a URL, and returns with what parameters it
 * comes back.
 */
export function serve(app, run) {
  let page;
  let comeBack;
  const sendBrowser = (location) => {
    page.redirect(String(location));
    return new Promise((resolve) => {
      comeBack = resolve;
    });
  };
  app.get("/login", async (_request, response) => {
    page = response;
    const report = await run(sendBrowser);
    page.json(report);
  });
  app.get("/callback", (request, response) => {
    page = response;
    comeBack(new URL(request.url, url).searchParams);
  });
  app.listen(Number(port), "localhost", () => process.stdout.write("ready\n"));
}

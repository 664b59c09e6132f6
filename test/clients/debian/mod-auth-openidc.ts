// Apache with mod_auth_openidc, before an application that says what the module tells it.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { startApache } from "../../apache/support/apache.ts";

const [issuer = "", clientId = "", clientSecret = "", port = ""] = process.argv.slice(2);
const url = `http://localhost:${port}`;
const callback = `${url}/protected/callback`;

const application = createServer(({ url: path, headers }, response) => {
  if (path === "/bye") return void response.end("bye");
  if (path === "/api/") return void response.end(headers["oidc_claim_sub"]);
  return void report(headers).then((said) => response.end(JSON.stringify(said)));
}).listen(0, "localhost");
await once(application, "listening");
const address = application.address();
if (address === null || typeof address === "string") throw new Error("the application listens on a port");

/** What the headers of the module say. */
async function report(headers: IncomingHttpHeaders): Promise<Record<string, string | null>> {
  const [login = "", token = ""] = [headers["oidc_claim_sub"], headers["oidc_access_token"]].map(String);
  const cookie = headers.cookie ?? "";
  const visit = async (query: Record<string, string>) => {
    const path = `${callback}?${new URLSearchParams(query).toString()}`;
    return (await fetch(path, { headers: { cookie }, redirect: "manual" })).headers.get("location");
  };
  const refreshed = await visit({ refresh: `${url}/protected/`, access_token: token });
  const api = await fetch(`${url}/api/`, { headers: { authorization: `Bearer ${token}` } });
  return {
    login,
    userinfo: headers["oidc_claim_email"] === undefined ? "failed: no email" : login, // the ID token has none
    refresh: refreshed === `${url}/protected/` ? login : `failed: ${refreshed}`,
    introspection: api.ok ? await api.text() : `failed: ${api.status}`,
    logout: await visit({ logout: `${url}/bye` }),
  };
}

const upstream = `http://localhost:${address.port}`;
const modules = "/usr/lib/apache2/modules";
const apache = await startApache({
  origin: url,
  guard: "auth_openidc",
  lines: [
    `LoadModule proxy_module ${modules}/mod_proxy.so`,
    `LoadModule proxy_http_module ${modules}/mod_proxy_http.so`,
    `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
    `OIDCClientID ${clientId}`,
    `OIDCClientSecret ${clientSecret}`,
    `OIDCRedirectURI ${callback}`,
    "OIDCCryptoPassphrase a-passphrase-of-the-test",
    'OIDCScope "openid profile email offline_access"',
    "OIDCPKCEMethod S256",
    `OIDCOAuthServerMetadataURL ${issuer}/.well-known/openid-configuration`,
    `OIDCOAuthClientID ${clientId}`,
    `OIDCOAuthClientSecret ${clientSecret}`,
    "OIDCOAuthRemoteUserClaim sub",
    "<Location /api/>",
    "AuthType oauth20",
    "Require valid-user",
    "</Location>",
    `ProxyPass /protected/callback !`,
    `ProxyPass /protected/ ${upstream}/`,
    `ProxyPass /api/ ${upstream}/api/`,
    `ProxyPass /bye ${upstream}/bye`,
  ],
});
process.on("SIGTERM", () => void apache.stop().then(() => process.exit()));
process.stdout.write("ready\n");

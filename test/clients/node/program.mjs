// What the programs of this folder share. Each of them is a web application that its library logs people in to, as the README of the
// library says: `/login` begins a login, and the page after it says what came of it, step by step.
const [issuer, clientId, clientSecret, port] = process.argv.slice(2);

/** The application that the program is. */
export const application = {
  issuer,
  clientId,
  clientSecret,
  port: Number(port),
  url: `http://localhost:${port}`,
};

/** The scopes that all programs ask for. */
export const scope = "openid profile email offline_access";

/** Does one step. Returns what it says: the id of the user, "ok", or what went wrong. */
export async function attempt(step) {
  try {
    return (await step()) ?? "ok";
  } catch (error) {
    return `failed: ${error.error_description ?? error.data ?? error.message ?? error}`;
  }
}

/** Returns a setting of the library that is read from the document that OpenID Connect has for it. */
export async function discover() {
  return await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
}

/** Makes the URL of a logout, which most libraries leave to the application. */
export function toLogoutUrl({ end_session_endpoint: endpoint }, idToken) {
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${application.url}/bye` };
  return `${endpoint}?${new URLSearchParams(parameters)}`;
}

/** Serves the application, and says when it does. */
export function serve(app) {
  app.get("/bye", (_request, response) => void response.send("bye"));
  app.listen(application.port, "localhost", () => process.stdout.write("ready\n"));
}

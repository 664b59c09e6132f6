import { ExpressAuth, getSession } from "@auth/express";
import express from "express";
import { application, discover, scope, serve, toLogoutUrl } from "./program.mjs";

const { issuer, clientId, clientSecret, url } = application;
const metadata = await discover();
let account;
const config = {
  secret: "a secret for tests, which is long enough",
  trustHost: true,
  providers: [
    {
      id: "gatehouse",
      name: "Gatehouse",
      type: "oidc",
      issuer,
      clientId,
      clientSecret,
      authorization: { params: { scope } },
    },
  ],
  callbacks: {
    jwt(given) {
      account ??= given.account;
      return given.token;
    },
  },
};
const app = express();
app.use("/auth", ExpressAuth(config));

/** As the form on its page does. */
app.get("/login", async (_request, response) => {
  const asked = await fetch(`${url}/auth/csrf`);
  const cookies = asked.headers.getSetCookie();
  const { csrfToken } = await asked.json();
  const answer = await fetch(`${url}/auth/signin/gatehouse`, {
    method: "POST",
    headers: { cookie: cookies.map((line) => line.split(";", 1)[0]).join("; ") },
    body: new URLSearchParams({ csrfToken, callbackUrl: `${url}/done` }),
    redirect: "manual",
  });
  for (const cookie of [...cookies, ...answer.headers.getSetCookie()]) response.append("set-cookie", cookie);
  response.redirect(answer.headers.get("location"));
});
app.get("/auth/error", ({ query }, response) => void response.json({ login: `failed: ${query.error}` }));
app.get("/done", async (request, response) => {
  const session = await getSession(request, config);
  if (session === null) return response.json({ login: "failed: there is no session" });
  return response.json({
    login: account.providerAccountId,
    logout: toLogoutUrl(metadata, account.id_token),
  });
});
serve(app);

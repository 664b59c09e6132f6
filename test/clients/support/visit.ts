import { createHttpClient } from "../../support/http-client.ts";
import { logIn, openUserAgent } from "../../sites/oidc/support/user-agent.ts";
import type { Stage } from "./stage.ts";

/** What a program says that came of a login, by step: the id of the user, or what went wrong. A step that it has not is absent. */
export type Report = Readonly<Partial<Record<Step, string>>>;

/** The steps, in the order of the table. */
export const steps = ["login", "userinfo", "refresh", "introspection", "jwt", "logout"] as const;
/** One of them. */
export type Step = (typeof steps)[number];
/** What the table calls them. */
export const titles: Readonly<Record<Step, string>> = {
  login: "login",
  userinfo: "userinfo",
  refresh: "refresh",
  introspection: "introspection",
  jwt: "JWT access token",
  logout: "logout",
};

/** Logs in to a program with a browser, at that path, and out again. */
export async function visit({ issuer, person }: Stage, url: string, path = "/login"): Promise<Report> {
  const [ours, theirs] = [issuer, url].map((origin) => createHttpClient(origin));
  if (ours === undefined || theirs === undefined) throw new Error("there are two origins");
  try {
    const atIssuer = openUserAgent({ origin: issuer, send: ours.send });
    const atProgram = openUserAgent({ origin: url, send: theirs.send });
    const start = await atProgram.open(`${url}${path}`);
    if (start.page !== undefined) return { login: `failed: ${start.page.status} ${start.page.text}` };
    const back = await logIn(atIssuer, await atIssuer.open(start.url.href), person);
    const { page } = await atProgram.open(back.href);
    if (page === undefined) return { login: "failed: the program sends the browser away" };
    if (!page.text.startsWith("{")) return { login: `failed: ${page.status} ${page.text}` };
    const { logout, ...report } = JSON.parse(page.text) as Record<Step, string>; // as the programs make it
    if (logout === undefined) return report;
    const left = await atIssuer.open(logout);
    return {
      ...report,
      logout: left.url.href === `${url}/bye` ? person.userId : `failed: ${left.url.pathname}`,
    };
  } finally {
    for (const client of [ours, theirs]) client.close();
  }
}

import { createHttpClient } from "../../support/http-client.ts";
import { logIn, openUserAgent } from "../../sites/oidc/support/user-agent.ts";
import type { Stage } from "./stage.ts";

/** What a program says that came of a step, by its name: the id of the user, or what went wrong. A step that it has not is absent. */
export type Report = Readonly<Record<string, string>>;

/** The most logins that a program may ask for: those of MCP try several things. */
const maxLogins = 5;

/** Logs in to a program with a browser, at that path, and out again. */
export async function visit({ issuer, person }: Stage, url: string, path = "/login"): Promise<Report> {
  const [ours, theirs] = [issuer, url].map((origin) => createHttpClient(origin));
  if (ours === undefined || theirs === undefined) throw new Error("there are two origins");
  try {
    const atIssuer = openUserAgent({ origin: issuer, send: ours.send });
    const atProgram = openUserAgent({ origin: url, send: theirs.send });
    const start = await atProgram.open(`${url}${path}`);
    if (start.page !== undefined) return { begin: `failed: ${start.page.status} ${start.page.text}` };
    let visited = start;
    for (let logins = 0; visited.page === undefined && logins < maxLogins; logins++) {
      const back = await logIn(atIssuer, await atIssuer.open(visited.url.href), person);
      visited = await atProgram.open(back.href);
    }
    const { page } = visited;
    if (page === undefined) return { begin: "failed: the program sends the browser away again and again" };
    if (page.status !== 200 || !page.text.startsWith("{"))
      return { begin: `failed: ${page.status} ${page.text}` };
    const { logout, ...report } = JSON.parse(page.text) as Record<string, string>; // as the programs make it
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

/** Asks an API with a token for it, with a token for another one, and with none. */
export async function askApi({ person, ownToken, otherToken }: Stage, url: string): Promise<Report> {
  const ask = async (token: string | undefined) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/api`, { headers });
    return { status: answer.status, text: (await answer.text()).trim() };
  };
  const [own, other, none] = [await ask(ownToken), await ask(otherToken), await ask(undefined)];
  const good = ({ status, text }: typeof own, wanted: number) =>
    status === wanted ? person.userId : `failed: ${status} ${text}`;
  return { own: good(own, 200), other: good(other, 401), none: good(none, 401) };
}

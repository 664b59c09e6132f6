import { setTimeout as pause } from "node:timers/promises";
import { createHttpClient } from "../../support/http-client.ts";
import { openUserAgent, type UserAgent, type Visited } from "../../sites/oidc/support/user-agent.ts";

/** The person whom docs/begin.sh and README.md make. */
export const ada = { username: "ada", password: "an analytical engine" };

/** Opens a page as soon as a program serves it. */
export async function openWhenServed(agent: UserAgent, url: string): Promise<Visited> {
  for (;;) {
    const visited = await agent.open(url).catch(() => undefined);
    if (visited !== undefined) return visited;
    await pause(50);
  }
}

/** Visits sites with a browser for each of these origins, and closes their connections at the end. */
export async function visit<T extends readonly string[]>(
  origins: T,
  act: (...agents: { [K in keyof T]: UserAgent }) => Promise<void>,
): Promise<void> {
  const clients = origins.map((origin) => ({ origin, http: createHttpClient(origin) }));
  const agents = clients.map(({ origin, http }) =>
    openUserAgent({ origin, send: (request) => http.send(request) }),
  );
  try {
    await act(...(agents as unknown as { [K in keyof T]: UserAgent }));
  } finally {
    for (const { http } of clients) http.close();
  }
}

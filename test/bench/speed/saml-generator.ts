/** The load of requests for pages, in a process of its own: it is told over IPC what to send and answers how much it has sent. */
import { createHttpClient } from "../../support/http-client.ts";
import type { PageAnswer, PageLoad } from "./saml-load.ts";

async function run(load: PageLoad): Promise<PageAnswer> {
  const http = createHttpClient(load.url);
  const startedMs = performance.now();
  const untilMs = startedMs + load.seconds * 1000;
  let count = 0;
  let due = 0;
  const work = async (): Promise<void> => {
    for (;;) {
      if (load.rate !== undefined) {
        const dueMs = startedMs + (1000 * due++) / load.rate;
        if (dueMs > untilMs) return;
        await new Promise((resolve) => {
          setTimeout(resolve, Math.max(0, dueMs - performance.now()));
        });
      } else if (performance.now() > untilMs) return;
      const path = load.paths[count % load.paths.length] ?? "/";
      count += 1;
      const headers = { ...load.headers, "x-forwarded-for": addressOf(count) };
      const { status, text } = await http.send({ method: "GET", path, headers });
      if (status !== load.status) throw new Error(`${path} was answered with ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: load.inFlight }, work));
  http.close();
  return { count };
}

/** A network is refused only so many messages in a minute, so they come from a thousand. */
function addressOf(count: number): string {
  return `198.18.${(count >> 8) & 3}.${count & 255}`;
}

process.on("message", (load: PageLoad) => {
  run(load).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { ComingReply } from "../browser-answer.ts";
import type { LoginPorts } from "../ports.ts";

/** Writes for a browser, as long as it waits for the answer. */
export async function writeFor<T>(
  { ports, exchange }: { readonly ports: Pick<LoginPorts, "context">; readonly exchange: Exchange },
  work: (tx: WriteTransaction) => Promise<T>,
): Promise<Exclude<T, Error>> {
  const gone = new AbortController();
  exchange.answering.once("close", () => gone.abort());
  return await ports.context.database.write(work, { signal: gone.signal });
}

/** Does the same for work that may ask hooks: then it is done once more, with their answers. */
export async function writeWithHooks<T>(
  browser: { readonly ports: Pick<LoginPorts, "context" | "hooks">; readonly exchange: Exchange },
  work: (tx: WriteTransaction, hooks: HookSession) => Promise<T>,
): Promise<Exclude<T, Error>> {
  return await browser.ports.hooks.run((hooks) => writeFor(browser, (tx) => work(tx, hooks)));
}

/** Does the same for work that decides the reply itself, which may be made after the write. */
export async function answerFor(
  browser: { readonly ports: Pick<LoginPorts, "context" | "hooks">; readonly exchange: Exchange },
  work: (tx: WriteTransaction, hooks: HookSession) => Promise<ComingReply>,
): Promise<Reply> {
  const coming = await writeWithHooks(browser, work);
  return typeof coming === "function" ? await coming() : coming;
}

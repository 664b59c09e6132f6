import type { Page } from "playwright-core";

/** An event of a trace of Chromium (Trace Event Format). Times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** How long the thread worked on it: what others do on the machine does not count. */
  readonly tdur?: number;
}

/** Does something, and returns how long the main thread of a page worked without a break at most, in milliseconds of its own time. */
export async function longestTaskMs(page: Page, run: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("a page has a browser");
  await browser.startTracing(page, { categories: ["toplevel"] });
  await run();
  const trace: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse(
    (await browser.stopTracing()).toString(),
  );
  const threads = trace.traceEvents.filter(
    ({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain",
  );
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid }) =>
      name === "ThreadControllerImpl::RunTask" &&
      threads.some((thread) => thread.pid === pid && thread.tid === tid),
  );
  const times = tasks.flatMap(({ tdur }) => (tdur === undefined ? [] : [tdur / 1000]));
  if (times.length === 0) throw new Error("the trace has no tasks");
  return Math.max(...times);
}

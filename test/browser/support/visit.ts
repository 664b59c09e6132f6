import type { Browser, CDPSession, ConsoleMessage, Frame, Page } from "playwright-core";
import type { Outcome } from "../../support/clients.ts";
import type { PageCall, PageFunctions } from "../page/protocol.ts";

/** A page that was opened, and what runs in it. */
export interface Visit {
  readonly page: Page;
  /** Chromium's own protocol, for what pages cannot do: virtual authenticators, and why a request was refused. */
  readonly devTools: CDPSession;
  /** Runs a function of the page, in that frame of it; default: the page itself. */
  run<Name extends keyof PageFunctions>(
    name: Name,
    input: Parameters<PageFunctions[Name]>[0],
    frame?: Frame,
  ): Promise<Awaited<ReturnType<PageFunctions[Name]>>>;
  /** Calls through a client of the page. */
  call(call: PageCall): Promise<Outcome>;
  /**
   * Waits until the browser kept so many answers from the page since the last time, and returns why, in Chromium's words,
   * oldest first.
   */
  refusals(count: number): Promise<readonly string[]>;
  /** Protocols of the answers so far, such as `http/1.1`. */
  protocols(): ReadonlySet<string>;
}

export interface VisitOptions {
  /** Whether the browser is to refuse requests; without, a refused one fails the visit. */
  readonly expectsRefusals?: boolean;
  /** Whether a certificate that signs itself is taken. */
  readonly takesAnyCertificate?: boolean;
}

/** A page that stays open. */
export interface OpenVisit extends Visit {
  /** Throws for any error of the page so far: in its console, an exception or a rejection that nobody caught, a crash. */
  requireFaultless(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the page in a profile of its own. */
export async function openVisit(
  browser: Browser,
  url: string,
  options: VisitOptions = {},
): Promise<OpenVisit> {
  const { expectsRefusals = false, takesAnyCertificate = false } = options;
  const context = await browser.newContext({ ignoreHTTPSErrors: takesAnyCertificate });
  const page = await context.newPage();
  const faults = watchFaults(page, expectsRefusals);
  const devTools = await context.newCDPSession(page);
  const network = await watchNetwork(devTools);
  await page.goto(url);
  const run: Visit["run"] = (name, input, frame = page.mainFrame()) =>
    // An expression, not a function: what a function needs of this file does not reach the page.
    frame.evaluate(`gatehouse.${name}(${JSON.stringify(input)})`);
  return {
    page,
    devTools,
    run,
    async call(input) {
      const outcome = await run("call", input);
      return { ...outcome, headers: new Headers(outcome.headers) };
    },
    ...network,
    async requireFaultless() {
      // A rejection counts as uncaught only once the page has nothing else to do.
      await page.evaluate("new Promise((done) => { setTimeout(done); })");
      if (faults.length > 0) throw new Error(`the page failed: ${faults.splice(0).join("; ")}`);
    },
    close: () => context.close(),
  };
}

function watchFaults(page: Page, expectsRefusals: boolean): string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !isNotice(message, expectsRefusals)) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
  page.on("crash", () => faults.push("it crashed"));
  return faults;
}

/** Chromium itself writes a line for every error status, which is no fault of the page, and for every refused request. */
function isNotice(message: ConsoleMessage, expectsRefusals: boolean): boolean {
  if (message.args().length > 0) return false;
  const text = message.text();
  if (/^Failed to load resource: the server responded with a status of [45]\d\d /.test(text)) return true;
  return (
    expectsRefusals && /has been blocked by CORS policy|^Failed to load resource: net::ERR_FAILED$/.test(text)
  );
}

async function watchNetwork(devTools: CDPSession): Promise<Pick<Visit, "refusals" | "protocols">> {
  const refused: string[] = [];
  const waiting = new Set<() => void>();
  const protocols = new Set<string>();
  devTools.on("Network.loadingFailed", ({ corsErrorStatus }) => {
    if (corsErrorStatus === undefined) return; // such as a request that its client gave up once it had its answer
    refused.push(corsErrorStatus.corsError);
    for (const look of waiting) look();
  });
  devTools.on("Network.responseReceived", ({ response }) => {
    if (response.protocol !== undefined) protocols.add(response.protocol);
  });
  await devTools.send("Network.enable");
  const refusals = (count: number) =>
    new Promise<readonly string[]>((resolve) => {
      const look = () => {
        if (refused.length < count) return;
        waiting.delete(look);
        resolve(refused.splice(0));
      };
      waiting.add(look);
      look();
    });
  return { refusals, protocols: () => protocols };
}

/** Opens a page in a frame of the page, which gets these attributes, and waits until it is there. */
export async function openFrame(
  { page }: Visit,
  url: string,
  attributes: Readonly<Record<string, string>>,
): Promise<Frame> {
  const entries = JSON.stringify(Object.entries({ ...attributes, src: url }));
  await page.evaluate(`new Promise((done) => {
    const frame = document.createElement("iframe");
    for (const [name, value] of ${entries}) frame.setAttribute(name, value);
    frame.onload = () => done();
    document.documentElement.append(frame);
  })`);
  const frame = page.frames().at(-1);
  if (frame === undefined) throw new Error("the page has no frame");
  return frame;
}

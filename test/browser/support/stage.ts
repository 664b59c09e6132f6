import { afterAll, afterEach, beforeAll } from "@jest/globals";
import type { Browser } from "playwright-core";
import { startService, type TestService } from "../../support/service.ts";
import { bundlePage } from "./bundle.ts";
import { launchChromium } from "./chromium.ts";
import { type PageServer, startPageServer } from "./page-server.ts";
import { openVisit, type OpenVisit, type Visit, type VisitOptions } from "./visit.ts";

/** A service, a browser, and pages of three origins. */
export interface Stage {
  readonly service: TestService;
  /** Its origin may call the service, and register keys. */
  readonly home: PageServer;
  /** Its origin may call the service, but not register keys. */
  readonly foreign: PageServer;
  /** Its origin may do neither. */
  readonly stranger: PageServer;
  /** Opens the page under that URL. Whoever opens it closes it. */
  open(url: string, options?: VisitOptions): Promise<OpenVisit>;
  /** Opens the page, runs `steps` and closes it. Fails, after the steps, for any error of the page. */
  visit<T>(url: string, steps: (visit: Visit) => Promise<T>, options?: VisitOptions): Promise<T>;
}

/** Starts a stage before the tests of a file and takes it down after them. Returns what gives it to a test. */
export function useStage(flags: Readonly<Record<string, string>> = {}): () => Stage {
  let stage: Stage | undefined;
  let resources: AsyncDisposableStack | undefined;
  beforeAll(async () => {
    await using starting = new AsyncDisposableStack();
    stage = await startStage(starting, flags);
    resources = starting.move();
  });
  afterAll(() => resources?.disposeAsync());
  return () => {
    if (stage === undefined) throw new Error("the stage stands only while tests run");
    return stage;
  };
}

/** Keeps one page open for the tests of a block, each of which fails for an error of the page. */
export function usePage(
  stage: () => Stage,
  options?: VisitOptions,
  host: "home" | "stranger" = "home",
): () => Visit {
  let visit: OpenVisit | undefined;
  beforeAll(async () => {
    visit = await stage().open(stage()[host].origin, options);
  });
  afterEach(() => visit?.requireFaultless());
  afterAll(() => visit?.close());
  return () => {
    if (visit === undefined) throw new Error("the page is open only while tests run");
    return visit;
  };
}

/** Whatever was started is in `resources`, also when a later start fails. */
async function startStage(
  resources: AsyncDisposableStack,
  flags: Readonly<Record<string, string>>,
): Promise<Stage> {
  const browser: Browser = await launchChromium();
  resources.defer(() => browser.close());
  const script = await bundlePage();
  const serve = async () => {
    const server = await startPageServer(script);
    resources.defer(() => server.stop());
    return server;
  };
  const [home, foreign, stranger] = [await serve(), await serve(), await serve()];
  const service = await startService({
    "cors-origins": `${home.origin},${foreign.origin}`,
    "rp-ids": "localhost",
    "rp-origins": home.origin,
    ...flags,
  });
  resources.defer(() => service.stop());
  return {
    service,
    home,
    foreign,
    stranger,
    open: (url, options) => openVisit(browser, url, options),
    async visit(url, steps, options) {
      const visit = await openVisit(browser, url, options);
      try {
        const result = await steps(visit);
        await visit.requireFaultless();
        return result;
      } finally {
        await visit.close();
      }
    },
  };
}

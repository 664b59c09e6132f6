import { afterAll, beforeAll } from "@jest/globals";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { addOrganization, addPerson, type ServicePerson } from "../../sites/login/support/people.ts";
import { createApplication, type TestApplication } from "../../sites/oidc/support/application.ts";
import { authorizePath } from "../../sites/oidc/support/signed-in.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createProject } from "../../support/world.ts";
import { launchChromium } from "./chromium.ts";

/** A service in local mode, an application of one of its organizations, and a browser. */
export interface LoginBrowserStage {
  readonly service: TestService;
  readonly organizationId: string;
  readonly application: TestApplication;
  readonly person: ServicePerson;
  /** Where the application asks for a login. */
  url(parameters?: Readonly<Record<string, string | undefined>>): string;
  /** Opens a profile of its own. */
  profile(options?: BrowserContextOptions): Promise<LoginProfile>;
}

/** A profile of a browser, and what its pages complained of. */
export interface LoginProfile {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What stands in the consoles of all pages, such as a breach of the content security policy. */
  readonly complaints: string[];
}

/** Starts a stage before the tests of a file and takes it down after them. `flags`: of the service. Returns what gives it to a test. */
export function useLoginStage(flags: Readonly<Record<string, unknown>> = {}): () => LoginBrowserStage {
  let stage: LoginBrowserStage | undefined;
  const resources = new AsyncDisposableStack();
  beforeAll(async () => {
    const browser = await launchChromium();
    resources.defer(() => browser.close());
    const service = await startService(flags);
    resources.defer(() => service.stop());
    stage = await buildStage(service, browser, resources);
  });
  afterAll(() => resources.disposeAsync());
  return () => {
    if (stage === undefined) throw new Error("the stage stands only while tests run");
    return stage;
  };
}

async function buildStage(
  service: TestService,
  browser: Browser,
  resources: AsyncDisposableStack,
): Promise<LoginBrowserStage> {
  const organizationId = await addOrganization(service, "Lamp Works");
  const projectId = await createProject(service, organizationId);
  const settings = { name: "Time Sheets", redirectUris: [await serveApplication(resources)], devMode: true };
  const application = await createApplication(service, { organizationId, projectId }, settings);
  return {
    service,
    organizationId,
    application,
    person: await addPerson(service, organizationId),
    url: (parameters) => `http://localhost:${service.port}${authorizePath(application, parameters)}`,
    async profile(options = {}) {
      const context = await browser.newContext({ locale: "en-GB", ...options });
      resources.defer(() => context.close());
      const complaints: string[] = [];
      context.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      context.on("weberror", (error) => complaints.push(error.error().message));
      return { context, page: await context.newPage(), complaints };
    },
  };
}

/**
 * Serves the application, and a page of its origin that frames whatever it is asked to. It tells the verb, and the names of the
 * fields of a form. Returns its redirect URI.
 */
async function serveApplication(resources: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => void answerAsApplication(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  resources.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/callback`; // it listens on TCP
}

async function answerAsApplication(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const framed = new URL(request.url ?? "/", "http://localhost").searchParams.get("frame");
  const names = [...new URLSearchParams(await text(request)).keys()];
  const told = [request.method, ...names].join(" ");
  const frame = framed === null ? "" : `<iframe src="${framed}"></iframe>`;
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(
    `<!doctype html><html lang="en"><title>Application</title><h1>Time Sheets</h1><p>${told}</p>${frame}</html>`,
  );
}

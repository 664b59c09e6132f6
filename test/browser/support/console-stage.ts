import { afterAll, afterEach, beforeAll, beforeEach, expect } from "@jest/globals";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import {
  addOrganization,
  addPerson,
  password,
  type ServicePerson,
} from "../../sites/login/support/people.ts";
import { sized } from "../../support/size.ts";
import { startService, type TestService } from "../../support/service.ts";
import { launchChromium } from "./chromium.ts";

/** A service with the console, and people who may administer it. */
export interface ConsoleStage {
  readonly service: TestService;
  /** An organization of its own, so that nobody administers the one that they are in. */
  readonly organizationId: string;
  /** Somebody who may do everything. */
  readonly owner: ServicePerson;
  /** Adds somebody with these roles in the organization of the stage. */
  addMember(roles: readonly string[]): Promise<ServicePerson>;
  /**
   * Opens a place of the console in a profile of its own, and signs in there; the owner, who is the default, with one session for all
   * their windows. What a test opens is closed behind it: an open window hears of every event, and reads anew what it shows.
   */
  open(path: string, options?: OpenOptions): Promise<ConsoleWindow>;
  /** Opens a profile without going anywhere, for as long. */
  profile(options?: BrowserContextOptions): Promise<ConsoleWindow>;
}

/** Who opens the console, and in what browser. */
export interface OpenOptions extends BrowserContextOptions {
  readonly person?: ServicePerson;
}

/** A window of the console. */
export interface ConsoleWindow {
  readonly page: Page;
  /** What stands in the browser's console, such as a breach of the content security policy. */
  readonly complaints: string[];
  /**
   * Goes to a place by its address, as a bookmark does: the page is loaded anew. Waits for its content, because until then the page is
   * signing in: it leaves by itself, which would end another visit.
   */
  visit(path: string): Promise<void>;
  /** Goes to a place within the application, as a click on a link does, and waits until its page has read what it shows. */
  goTo(path: string): Promise<void>;
  /** Waits until the page has read what it shows: no request is under way but a watch of events, and nothing says that it loads. */
  settled(): Promise<void>;
  /** Fills in the page of signing in. */
  signIn(person: ServicePerson): Promise<void>;
  /** Waits for the heading of a page. */
  heading(name: string): Promise<void>;
  /** Waits for a notice. */
  notice(text: string): Promise<void>;
  /** The button on the page. */
  button(name: string): Locator;
  /** The field on the page with the label. */
  field(label: string): Locator;
  /** The same within the dialog that is open, or will be. */
  readonly dialog: Pick<ConsoleWindow, "button" | "field">;
  /** Waits until the expression is true on the page. Playwright's own way evaluates on the page, which its policy forbids. */
  until(expression: string): Promise<void>;
  /** The path and query of the place below `/console`. */
  place(): string;
  /** Fails with the serious findings of axe-core on the page, and if the page is wider than the window. */
  expectAccessible(): Promise<void>;
  /** Goes to the places one after the other, and fails as `expectAccessible` does. */
  expectAllAccessible(paths: readonly string[]): Promise<void>;
}

const faces = [
  { face: "light and wide", options: { viewport: { width: 1280, height: 800 } } },
  { face: "dark and narrow", options: { viewport: { width: 360, height: 740 }, colorScheme: "dark" } },
] as const;

/** The faces in which the pages of a file are looked at: `.ci/run` takes one of them, by turns from file to file. */
export const facesOf = (turn: "light" | "dark") =>
  sized({ small: faces.filter(({ face }) => face.startsWith(turn)), full: [...faces] });

/** Starts a stage before the tests of a file; takes it down after them. Returns what gives it to a test. */
export function useConsoleStage(flags: Readonly<Record<string, unknown>> = {}): () => ConsoleStage {
  let stage: ConsoleStage | undefined;
  const resources = new AsyncDisposableStack();
  let ofTest: AsyncDisposableStack | undefined;
  beforeAll(async () => {
    const browser = await launchChromium();
    resources.defer(() => browser.close());
    const service = await startService(flags);
    resources.defer(() => service.stop());
    stage = await buildStage(service, browser, () => ofTest ?? resources);
  });
  beforeEach(() => {
    ofTest = new AsyncDisposableStack();
  });
  afterEach(async () => {
    await ofTest?.disposeAsync();
    ofTest = undefined;
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
  resources: () => AsyncDisposableStack,
): Promise<ConsoleStage> {
  const organizationId = await addOrganization(service, "Lamp Works");
  const owner = await addPerson(service, organizationId);
  await service.call(MembershipService.method.addMembership, {
    userId: owner.id,
    scope: { case: "instance", value: true },
    roles: ["INSTANCE_OWNER"],
  });
  let session: Exclude<BrowserContextOptions["storageState"], string>;
  const profile: ConsoleStage["profile"] = async (options = {}) => {
    const context = await browser.newContext({ locale: "en-GB", ...options });
    resources().defer(() => context.close());
    const complaints: string[] = [];
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    context.on("weberror", (error) => complaints.push(error.error().message));
    // But for requests that the test itself has cut off.
    resources().defer(() => expect(complaints.filter((each) => !each.includes("ERR_FAILED"))).toEqual([]));
    return toWindow(await context.newPage(), { complaints, origin: `http://localhost:${service.port}` });
  };
  return {
    service,
    organizationId,
    owner,
    profile,
    async addMember(roles) {
      const person = await addPerson(service, organizationId);
      await service.call(MembershipService.method.addMembership, {
        userId: person.id,
        scope: { case: "organizationId", value: organizationId },
        roles: [...roles],
      });
      return person;
    },
    async open(path, { person = owner, ...options } = {}) {
      const isOwner = person === owner;
      const window = await profile(
        isOwner && session !== undefined ? { storageState: session, ...options } : options,
      );
      await window.visit(path);
      if (new URL(window.page.url()).pathname.startsWith("/console/")) return window;
      await window.signIn(person);
      await window.page.waitForURL((url) => url.pathname.startsWith("/console/"));
      const { cookies } = await window.page.context().storageState();
      if (isOwner) session = { cookies, origins: [] };
      return window;
    },
  };
}

function toWindow(
  page: Page,
  { complaints, origin }: { readonly complaints: string[]; readonly origin: string },
): ConsoleWindow {
  const requests = new Set<Request>();
  page.on("request", (request) => {
    if (!request.url().endsWith("/WatchEvents")) requests.add(request);
  });
  page.on("requestfinished", (request) => requests.delete(request));
  page.on("requestfailed", (request) => requests.delete(request));
  const partsOf = (scope: Locator): ConsoleWindow["dialog"] => ({
    button: (name) => scope.getByRole("button", { name, exact: true }).first(),
    field: (label) =>
      scope.getByLabel(label, { exact: true }).and(page.locator("input, textarea, select")).first(),
  });
  return {
    page,
    complaints,
    async visit(path) {
      await page.goto(`${origin}/console${path}`);
      await page.locator("main").first().waitFor();
    },
    async goTo(path) {
      await page.locator("h1").first().waitFor(); // a page that was reloaded leaves once more to sign in
      const push = `history.pushState(null, "", "/console${path}"); dispatchEvent(new Event("popstate"))`;
      await page.evaluate(push);
      await this.settled();
    },
    async settled() {
      await page.locator("h1").first().waitFor();
      // Twice in a row: code that was loaded asks for more in the next frame only.
      for (let quiet = 0; quiet < 2; ) {
        await page.evaluate(drawn);
        quiet = requests.size > 0 ? 0 : quiet + 1;
      }
    },
    async signIn(person) {
      await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
      await page.getByLabel("Username").fill(person.username);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
    },
    heading: (name) => page.getByRole("heading", { name, exact: true }).waitFor(),
    notice: (text) => page.getByRole("status").filter({ hasText: text }).waitFor(),
    ...partsOf(page.locator("body")),
    dialog: partsOf(page.locator("dialog[open]")),
    async until(expression) {
      await page.evaluate(`new Promise((resolve) => {
        const look = () => ((${expression}) ? resolve() : requestAnimationFrame(look));
        look();
      })`);
    },
    place() {
      const { pathname, search } = new URL(page.url());
      return pathname.slice("/console".length) + search;
    },
    async expectAccessible() {
      if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(readAxe());
      const found =
        await page.evaluate<{ readonly id: string; readonly nodes: readonly string[] }[]>(findings);
      expect(found).toEqual([]);
      expect(
        await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      ).toBeLessThanOrEqual(0);
    },
    async expectAllAccessible(paths) {
      for (const path of paths) {
        await this.goTo(path);
        await this.expectAccessible();
      }
    },
  };
}

// What an answer has changed is drawn with the next frame, and may ask for more.
const drawn = `new Promise((resolve) => {
  const look = () => requestAnimationFrame(() => requestAnimationFrame(() => (document.querySelector(".loading") ? look() : resolve())));
  look();
})`;

function readAxe(): string {
  const require = createRequire(import.meta.url);
  return readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
}

// A text: the types of a browser are not those of the tests. Transitions would be measured half-way.
const findings = `(async () => {
  await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)));
  const { violations } = await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + " " + failureSummary) }));
})()`;

/** Returns what the tab keeps when its page is left, as it is by a reload. */
export async function keptInTab(page: Page): Promise<string> {
  return await page.evaluate<string>(
    'dispatchEvent(new Event("pagehide")); Object.values(sessionStorage).join("\\n")',
  );
}

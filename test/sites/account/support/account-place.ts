import { MembershipService } from "../../../../gen/gatehouse/v1/membership_service_pb.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import { type BrowserPage, createPageBrowser, type PageBrowser } from "../../login/support/browser.ts";
import { addOrganization, addPerson, password, type ServicePerson } from "../../login/support/people.ts";
import { startService, type TestService } from "../../../support/service.ts";

/** A whole service, an organization, and browsers for the account pages. */
export interface AccountPlace {
  readonly service: TestService;
  readonly issuer: string;
  readonly organizationId: string;
  addPerson(): Promise<ServicePerson>;
  browser(): PageBrowser;
  /** Opens a page of the account in a browser of its own, and logs in where that is asked for. */
  open(path: string, person: ServicePerson): Promise<AccountVisitor>;
  /** Lets the person do everything by calls. */
  makeInstanceOwner(person: ServicePerson): Promise<void>;
  /** Records events past all use cases. */
  record(...events: readonly NewEvent[]): Promise<void>;
  stop(): Promise<void>;
}

/** Somebody at a page of the account. */
export interface AccountVisitor {
  readonly browser: PageBrowser;
  readonly page: BrowserPage;
}

/** Starts the service. */
export async function startAccountPlace(): Promise<AccountPlace> {
  const service = await startService();
  const issuer = `http://localhost:${service.port}`;
  const organizationId = await addOrganization(service, "Lamp Works");
  const browsers: PageBrowser[] = [];
  const openBrowser = () => {
    const browser = createPageBrowser(service.url, issuer);
    browsers.push(browser);
    return browser;
  };
  return {
    service,
    issuer,
    organizationId,
    addPerson: () => addPerson(service, organizationId),
    browser: openBrowser,
    async open(path, person) {
      const browser = openBrowser();
      return { browser, page: await logInAt(await browser.open(path), person) };
    },
    async makeInstanceOwner({ id }) {
      await service.call(MembershipService.method.addMembership, {
        userId: id,
        scope: { case: "instance", value: true },
        roles: ["INSTANCE_OWNER"],
      });
    },
    async record(...events) {
      const { database, log } = service.context;
      const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
      await database.write((tx) => log.append(tx, origin, events));
    },
    async stop() {
      for (const browser of browsers) browser.close();
      await service.stop();
    },
  };
}

/** Logs in on the page that asks for it. */
export async function logInAt(page: BrowserPage, { username }: ServicePerson): Promise<BrowserPage> {
  return await page.submit({ username, password });
}

/** Finds the form of a page whose fields hold that value, such as the id of a session. */
export function formWith(page: BrowserPage, value: string): number {
  const forms = [...page.text.matchAll(/<form[^]*?<\/form>/g)].map(([form]) => form);
  const index = forms.findIndex((form) => form.includes(`value="${value}"`));
  if (index < 0) throw new Error(`no form of ${page.path} has ${value}: ${page.text}`);
  return index;
}

import type { ExternalIdentity } from "../../../../src/identity/people/identity-links/external-identity.ts";
import { takeIdentity } from "../../../../src/sites/login/external/take-identity.ts";
import type { LoginSite } from "../../../../src/sites/login/flow/sites.ts";
import { changeInteraction, withWayBack } from "../../../../src/sites/login/flow/visits.ts";
import type { BrowserPage, PageBrowser } from "./browser.ts";

const path = "/test/identity/";

/** Stands for the way back from any identity provider: it takes the identity that the test says, and believes it. */
export const identitySite: LoginSite = {
  name: "identity",
  paths: [`${path}*`],
  loadRouter: async () => (ports) => async (exchange, issuer) => {
    const text = new URLSearchParams(exchange.query).get("identity") ?? "";
    const identity = JSON.parse(text) as ExternalIdentity; // as `comeBack` wrote it
    const request = { ports, exchange, issuer, id: exchange.path.slice(path.length) };
    const page = { name: "idp", insteadOf: "password" };
    const take = () => changeInteraction(request, page, takeIdentity(ports.context, identity));
    return { operation: path, answer: await withWayBack(request, take) };
  },
};

/** Comes back from an identity provider to the login that the page belongs to. */
export async function comeBack(
  browser: PageBrowser,
  page: Pick<BrowserPage, "path">,
  identity: ExternalIdentity,
): Promise<BrowserPage> {
  const [, , id] = page.path.split("/");
  const query = new URLSearchParams({ identity: JSON.stringify(identity) });
  return await browser.open(`${path}${id}?${query.toString()}`);
}

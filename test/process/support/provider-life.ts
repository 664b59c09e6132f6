import { expect } from "@jest/globals";
import { createFederationPlace, beginLogin } from "../../sites/federation/support/place.ts";
import { startProvider } from "../../sites/federation/support/provider.ts";
import { openUserAgent } from "../../sites/oidc/support/user-agent.ts";
import { createTestClock } from "../../support/clock.ts";
import { createHttpClient } from "../../support/http-client.ts";
import type { ConnectedService } from "./place.ts";

/** Has somebody log in at an identity provider, and get an account by that. Needs --dev. */
export async function liveProviderLogin(service: ConnectedService): Promise<void> {
  const provider = await startProvider(createTestClock(Date.now()));
  const port = Number(new URL(service.url).port);
  const http = createHttpClient(service.url);
  try {
    const place = await createFederationPlace(service, provider, { autoRegister: true });
    const origin = `http://localhost:${port}`;
    const browser = openUserAgent({ origin, send: (request) => http.send(request) });
    const page = await beginLogin({ port }, place, browser);
    const { url } = await browser.submit(page, { provider: place.idpId });
    const end = await browser.open(provider.logIn(url).href);
    expect(end.url.searchParams.has("code")).toBe(true);
  } finally {
    http.close();
    provider.stop();
  }
}

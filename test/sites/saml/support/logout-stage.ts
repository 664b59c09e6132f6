import { X509Certificate } from "node:crypto";
import { SessionService } from "../../../../gen/gatehouse/v1/session_service_pb.ts";
import { createPageBrowser, type PageBrowser } from "../../login/support/browser.ts";
import { signIn, type TestBrowser } from "../../oidc/support/signed-in.ts";
import type { HttpAnswer } from "../../../support/http-client.ts";
import { startService } from "../../../support/service.ts";
import { createCaller, createHumanUser, createWorld } from "../../../support/world.ts";
import { addLogoutParty, type PartyKind, readSent } from "./logout-party.ts";
import { makePartyKeys } from "../node-saml/party-keys.ts";

/** A browser in which the user has logged in. */
export interface SignedInBrowser extends PageBrowser {
  readonly session: TestBrowser;
}

/** A service, service providers, and browsers of users who log out. */
export type LogoutStage = Awaited<ReturnType<typeof startLogoutStage>>;

/** Starts a service, for service providers and browsers of users who log out. */
export async function startLogoutStage() {
  const service = await startService();
  const world = await createWorld(service);
  const issuer = `http://localhost:${service.port}`;
  const { text } = await service.http.send({ method: "GET", path: "/saml/v2/certificate", headers: {} });
  const certificate = new X509Certificate(text);
  const shared = makePartyKeys(); // a key takes long to make
  const browsers: PageBrowser[] = [];
  const open = () => {
    const browser = createPageBrowser(service.url, issuer);
    browsers.push(browser);
    return browser;
  };
  const call = createCaller(service, world.organizationId);
  const follow = async (browser: PageBrowser, answer: HttpAnswer): Promise<HttpAnswer> => {
    const location = answer.headers.get("location");
    if (location === null || new URL(location).origin !== issuer) return answer;
    return await follow(browser, await browser.send({ method: "GET", url: location }));
  };
  return {
    service,
    world,
    issuer,
    /** Makes a service provider, which is asked after those that were made before. Several share a key, unless the test says otherwise. */
    addParty(kind?: PartyKind) {
      service.clock.turn(1); // ids of one millisecond have no order
      return addLogoutParty(service, world, { keys: shared, ...kind });
    },
    /** Opens a browser without cookies. */
    open,
    /** Opens a browser with a session of the user. Default: a new user. */
    async signIn(userId?: string): Promise<SignedInBrowser> {
      const session = await signIn(service, userId ?? (await createHumanUser(service, world.organizationId)));
      const browser = open();
      const [name = "", value = ""] = session.cookie.split("=");
      browser.cookies.set(name, value);
      return { ...browser, session };
    },
    /** Follows our redirects from an answer to the first that leads elsewhere, or the first page. */
    follow,
    /** Reads the message that an answer takes to a service provider, with its signature verified. */
    read: (answer: HttpAnswer) => readSent(answer, certificate),
    async isOver({ session: { sessionId } }: SignedInBrowser) {
      const { session } = await call(SessionService.method.getSession, { sessionId });
      return (session as { state?: string } | undefined)?.state === "SESSION_STATE_TERMINATED";
    },
    /** Returns the reasons why the session has ended: one, or none. */
    async endsOf({ session: { sessionId } }: SignedInBrowser) {
      const rows = await service.context.database.read((tx) =>
        tx.all<{ payload: string }>(
          "SELECT payload FROM events WHERE aggregate_id = ? AND type = 'session.terminated'",
          [sessionId],
        ),
      );
      return rows.map(({ payload }) => (JSON.parse(payload) as { reason: string }).reason);
    },
    async stop() {
      for (const browser of browsers) browser.close();
      await service.stop();
    },
  };
}

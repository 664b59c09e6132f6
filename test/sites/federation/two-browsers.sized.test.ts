/**
 * Two browsers at providers of both kinds. An attacker begins logins and sends their links to a victim, whose browser opens whatever it
 * is sent, and who has a session at the provider; the attacker has one, too. Whatever they do, in whatever order, nobody is logged in as
 * the other one.
 */
import { afterAll, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import type { UserAgent } from "../oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { startService } from "../../support/service.ts";
import { sized } from "../../support/size.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { startGateway } from "./jwt/support/gateway.ts";
import { beginLogin, createFederationPlace, type FederationPlace, openBrowser } from "./support/place.ts";
import { startProvider } from "./support/provider.ts";

const people = ["attacker", "victim"] as const;
type Name = (typeof people)[number];

/** A kind of provider. */
interface Kind {
  readonly place: FederationPlace;
  /** The ids of the users to whom the identities of both are linked. */
  readonly userIds: Readonly<Record<Name, string>>;
  /** Goes to the provider as somebody, and returns where the browser is sent then; undefined: to a page. */
  visit(url: URL, as: Name): Promise<string | undefined>;
}

const service = await startService({ dev: true });
const gateway = await startGateway(service.url, { clock: service.clock, headerName: "x-token" });
const provider = await startProvider(service.clock);
const kinds = new Map<string, Kind>([
  ["jwt", await layJwt()],
  ["oidc", await layOidc()],
]);
afterAll(async () => {
  gateway.stop();
  provider.stop();
  await service.stop();
});

async function layJwt(): Promise<Kind> {
  const place = await createFederationPlace(service, provider);
  const { jwtEndpoint, keysEndpoint, issuer } = gateway;
  const value = { jwtEndpoint, keysEndpoint, issuer, headerName: "x-token" };
  const made = await createCaller(service, place.organizationId)(
    IdentityProviderService.method.createIdentityProvider,
    { name: uniqueName("Gateway"), config: { case: "jwt", value } },
  );
  const idpId = idOf(made, "idpId");
  const cookies = { attacker: gateway.logIn("attacker"), victim: gateway.logIn("victim") };
  return {
    place: { ...place, idpId },
    userIds: await linkBoth(place.organizationId, idpId),
    async visit(url, as) {
      const { location } = await gateway.visit(url.href, cookies[as]);
      return location === "" ? undefined : location;
    },
  };
}

async function layOidc(): Promise<Kind> {
  const place = await createFederationPlace(service, provider);
  // What it would say of its only subject.
  provider.play({ metadata: { userinfo_endpoint: undefined } });
  return {
    place,
    userIds: await linkBoth(place.organizationId, place.idpId),
    visit: async (url, as) => provider.logIn(url, as).href,
  };
}

async function linkBoth(organizationId: string, idpId: string): Promise<Kind["userIds"]> {
  const link = async (name: Name) => {
    const { userId } = await createPerson(service, organizationId);
    const identity = { externalUserId: name, externalUsername: name };
    await service.call(UserService.method.addIdpLink, { userId, idpId, ...identity });
    return userId;
  };
  return { attacker: await link("attacker"), victim: await link("victim") };
}

/** What somebody does. `at` chooses among what there is. */
type Act =
  /** Begins a login, and presses the button of the provider. */
  | { readonly kind: "begin"; readonly by: Name }
  /** Goes to the provider with a link: the victim with any, the attacker with those of the own logins. `goesOn`: opens what comes of it. */
  | { readonly kind: "visit"; readonly by: Name; readonly at: number; readonly goesOn: boolean }
  /** Opens an answer of a provider: the victim any, the attacker those that the provider gave to the own browser. */
  | { readonly kind: "open"; readonly by: Name; readonly at: number }
  /** Looks at the page of a login. */
  | { readonly kind: "poll"; readonly by: Name; readonly at: number }
  /** Loses the cookies of logins. */
  | { readonly kind: "forget"; readonly by: Name };

const by = fc.constantFrom(...people);
const at = fc.nat({ max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("begin" as const), by }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("visit" as const), by, at, goesOn: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("open" as const), by, at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("poll" as const), by, at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), by }) },
);

/** A link that somebody has, and whose it was first. */
interface Found {
  readonly url: string;
  readonly of: Name;
}

/** Does it all with two new browsers. Returns who was logged in where: the name of the browser, and that of the user. */
async function play(kind: Kind, acts: readonly Act[]): Promise<readonly (readonly [Name, string])[]> {
  const browsers = { attacker: openBrowser(service), victim: openBrowser(service) };
  const links: Found[] = [];
  const answers: Found[] = [];
  const seen: (readonly [Name, string])[] = [];
  /** The victim opens what the attacker sends; the attacker gets nothing of the victim. */
  const choose = (
    all: readonly Found[],
    { by: name, at: index }: { readonly by: Name; readonly at: number },
  ) => {
    const open = all.filter(({ of }) => name === "victim" || of === "attacker");
    return open[index % Math.max(1, open.length)];
  };
  for (const each of acts) {
    const browser = browsers[each.by];
    switch (each.kind) {
      case "begin": {
        const page = await beginLogin(service, kind.place, browser, { prompt: "login" });
        const { url } = await browser.submit(page, { provider: kind.place.idpId });
        links.push({ url: url.href, of: each.by });
        break;
      }
      case "visit": {
        const link = choose(links, each);
        const url = link && (await kind.visit(new URL(link.url), each.by));
        if (url === undefined) break;
        answers.push({ url, of: each.by });
        if (each.goesOn) await browser.open(url);
        break;
      }
      case "open": {
        const answer = choose(answers, each);
        if (answer !== undefined) await browser.open(answer.url);
        break;
      }
      case "poll": {
        const link = choose(links, each);
        const id = link && idOfLogin(link.url);
        if (id !== undefined) await browser.open(`http://localhost:${service.port}/login/${id}`);
        break;
      }
      case "forget":
        for (const name of browser.cookies.keys())
          if (name.startsWith("gh_login_")) browser.cookies.delete(name);
        break;
    }
    for (const name of people) seen.push([name, await userOf(kind, browsers[name])]);
  }
  return seen;
}

/** Only the gateway is told the id. */
function idOfLogin(url: string): string | undefined {
  return new URL(url).searchParams.get("authRequestID") ?? undefined;
}

/** Says who is logged in in a browser. */
async function userOf({ userIds }: Kind, { cookies }: UserAgent): Promise<string> {
  const value = cookies.get("gh_session") ?? "";
  canaries.add("session", value);
  const [row] = await service.place.raw.peek<{ user_id: string }>(
    "SELECT s.user_id FROM session_values v JOIN sessions s ON s.id = v.session_id WHERE v.hash = ?",
    [createHash("sha256").update(value).digest("base64url")],
  );
  return people.find((name) => userIds[name] === row?.user_id) ?? "nobody";
}

const kindOf = (name: string): Kind => kinds.get(name) ?? never();

test.each(["jwt", "oidc"])("whoever logs in at a provider (%s) is logged in", async (name) => {
  const acts: readonly Act[] = people.flatMap((each) => [
    { kind: "begin", by: each } as const,
    { kind: "visit", by: each, at: each === "victim" ? 1 : 0, goesOn: true } as const,
  ]);
  expect((await play(kindOf(name), acts)).slice(-2)).toEqual([
    ["attacker", "attacker"],
    ["victim", "victim"],
  ]);
});

test.each(["jwt", "oidc"])("nobody is logged in as the other one (%s)", async (name) => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 14 }), async (acts) => {
      for (const [browser, user] of await play(kindOf(name), acts))
        expect([browser, "nobody"]).toContain(user);
    }),
    { numRuns: sized({ small: 15, full: 300 }) },
  );
});

function never(): never {
  throw new Error("there is no such kind");
}

// SIGKILL in the middle of refreshes (RFC 6749 §6): the client goes on with what it has, whether the answer was lost or not.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { OidcGrantType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import type { Random } from "../hostile/support/random.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
} from "../oidc/support/login-place.ts";
import { basic } from "../oidc/support/machine.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../oidc/support/user-agent.ts";
import { type Place, usePlaces } from "../process/support/place.ts";
import { canaries } from "../support/canaries.ts";
import { createHttpClient, type HttpAnswer, type HttpClient } from "../support/http-client.ts";
import type { ServingProcess } from "../support/process.ts";
import { kill } from "./support/ground.ts";
import { useSeed } from "./support/seed.ts";

const newPlace = usePlaces();
const randomOf = useSeed();
/** GATEHOUSE_FAULTS_KILLS asks for more. */
const rounds = Number(process.env["GATEHOUSE_FAULTS_KILLS"] ?? 20);
const issuer = "http://localhost:4711";
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-of-the-kills-that-is-long-enough-0123456789";

let place: Place;
let random: Random;
let application: TestApplication;
/** What the client has. */
let token: string;
/** Answers that the client got, and those that were lost to a kill. */
let answered = 0;
let lost = 0;

const serve = () => place.serve(["--issuer", issuer]);

beforeAll(async () => {
  place = newPlace();
  random = randomOf(0);
  const serving = await serve();
  const http = createHttpClient(serving.url);
  try {
    const service = place.connect(serving);
    const loginPlace = await createLoginPlace(service);
    const person = await createPerson(service, loginPlace.organizationId);
    application = await createOidcApplication(service, loginPlace, {
      redirectUris: [redirectUri],
      grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
    });
    const url = toAuthorizationUrl(
      issuer,
      Object.entries({
        client_id: application.clientId,
        response_type: "code",
        redirect_uri: redirectUri,
        scope: "openid offline_access",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      }),
    );
    const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
    const back = await logIn(agent, await agent.open(url), person);
    const answer = await ask(http, {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    token = successorIn(answer);
  } finally {
    http.close();
    await kill(serving);
  }
}, 60_000);

function ask(http: HttpClient, form: Readonly<Record<string, string>>): Promise<HttpAnswer> {
  return http.send({
    method: "POST",
    path: "/oauth/v2/token",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...basic(application.clientId, application.secret ?? ""),
    },
    body: new URLSearchParams(form).toString(),
  });
}

function successorIn({ status, text }: HttpAnswer): string {
  expect({ status, text }).toMatchObject({ status: 200 });
  const { refresh_token: successor = "", access_token: access = "" } = JSON.parse(text) as Record<
    string,
    string
  >;
  canaries.add("refresh token", successor);
  canaries.add("access token", access);
  return successor;
}

/** Refreshes until it is cut off. */
async function refreshUntilKilled(http: HttpClient, serving: ServingProcess): Promise<void> {
  const last = 1 + random.below(20);
  for (let count = 0; ; count++) {
    const asking = ask(http, { grant_type: "refresh_token", refresh_token: token });
    if (count === last) {
      // Somewhere on the way of this request: before it is read, while it is written, after it is answered.
      setTimeout(() => serving.child.kill("SIGKILL"), random.next() * 4);
    }
    const answer = await asking.catch(() => undefined);
    if (answer === undefined) {
      if (count >= last) {
        lost += 1;
        return;
      }
      throw new Error("the service went away by itself");
    }
    answered += 1;
    token = successorIn(answer);
    if (count > 1000) throw new Error("the service is not killed");
  }
}

describe("SIGKILL in the middle of refreshes", () => {
  test.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    "round %d: what the client has is good, and makes one successor",
    async () => {
      const serving = await serve();
      const http = createHttpClient(serving.url);
      try {
        const refresh = { grant_type: "refresh_token", refresh_token: token };
        const successor = successorIn(await ask(http, refresh));
        expect(successorIn(await ask(http, refresh))).toBe(successor);
        token = successor;
        await refreshUntilKilled(http, serving);
      } finally {
        http.close();
        await kill(serving);
      }
    },
  );

  test("some answers were lost, and more were not", () => {
    expect(lost).toBe(rounds);
    expect(answered).toBeGreaterThan(rounds);
  });
});

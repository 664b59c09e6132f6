// SIGKILL in the middle of refreshes (RFC 6749 §6): the client goes on with what it has, whether the answer was lost or not.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { OidcGrantType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
} from "../sites/oidc/support/login-place.ts";
import { basic } from "../sites/oidc/support/machine.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../sites/oidc/support/user-agent.ts";
import { canaries } from "../support/canaries.ts";
import type { HttpAnswer } from "../support/http-client.ts";
import { kills, useServing } from "./support/serving.ts";

const issuer = "http://localhost:4711";
const serving = useServing(["--issuer", issuer]);
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-of-the-kills-that-is-long-enough-0123456789";

let application: TestApplication;
/** What the client has. */
let token: string;
/** Answers that the client got, and those that were lost to a kill. */
let answered = 0;
let lost = 0;

beforeAll(async () => {
  const { service } = serving;
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
  const agent = openUserAgent({ origin: issuer, send: (request) => serving.http.send(request) });
  const back = await logIn(agent, await agent.open(url), person);
  const answer = await ask({
    grant_type: "authorization_code",
    code: back.searchParams.get("code") ?? "",
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  token = successorIn(answer);
}, 60_000);

function ask(form: Readonly<Record<string, string>>): Promise<HttpAnswer> {
  return serving.http.send({
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
async function refreshUntilKilled(): Promise<void> {
  const { child } = serving.process;
  const last = 1 + serving.random.below(20);
  for (let count = 0; ; count++) {
    const asking = ask({ grant_type: "refresh_token", refresh_token: token });
    if (count === last) {
      // Somewhere on the way of this request or of one of the next: before it is read, while it is written, after it is answered.
      setTimeout(() => child.kill("SIGKILL"), serving.random.next() * 12);
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
  test.each(Array.from({ length: kills }, (_, index) => index + 1))(
    "round %d: what the client has is good, and makes one successor",
    async () => {
      await refreshUntilKilled();
      await serving.goOn();
      const refresh = { grant_type: "refresh_token", refresh_token: token };
      const successor = successorIn(await ask(refresh));
      expect(successorIn(await ask(refresh))).toBe(successor);
      token = successor;
    },
  );

  test("some answers were lost, and more were not", () => {
    expect(lost).toBe(kills);
    expect(answered).toBeGreaterThan(kills);
  });
});

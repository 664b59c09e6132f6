import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  type TestApplication,
} from "../../sites/oidc/support/login-place.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

const redirectUri = "https://app.example/callback";

let pair: Pair;
let application: TestApplication;
beforeAll(async () => {
  pair = await startPair();
  application = await createOidcApplication(pair.one, await createLoginPlace(pair.one), {
    redirectUris: [redirectUri],
    authMethodType: OidcAuthMethodType.POST,
  });
});
afterAll(() => pair.close());

async function push({ url }: Process): Promise<string> {
  const http = createHttpClient(url);
  const form = {
    client_id: application.clientId,
    client_secret: application.secret ?? "",
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid",
    prompt: "none",
  };
  const { text } = await http.send({
    method: "POST",
    path: "/oauth/v2/par",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });
  http.close();
  return String((JSON.parse(text) as Readonly<Record<string, unknown>>)["request_uri"]);
}

/** Brings a reference without a session. Returns the error that the application gets, or the status of a page. */
async function bring({ url }: Process, requestUri: string): Promise<string> {
  const http = createHttpClient(url);
  const fields = { client_id: application.clientId, request_uri: requestUri };
  const path = `/oauth/v2/authorize?${new URLSearchParams(fields).toString()}`;
  const host = `localhost:${new URL(url).port}`;
  const { status, headers } = await http.send({ method: "GET", path, headers: { host } });
  http.close();
  const location = headers.get("location");
  return location === null ? String(status) : (new URL(location).searchParams.get("error") ?? "none");
}

test("what was pushed to one process is known to the other, and used for both", async () => {
  const requestUri = await push(pair.one);
  expect(await bring(pair.other, requestUri)).toBe("login_required");
  expect(await bring(pair.one, requestUri)).toBe("400");
  expect(await bring(pair.other, requestUri)).toBe("400");
});

test("8 at once, at both processes, begin one login", async () => {
  for (let round = 0; round < 5; round++) {
    const requestUri = await push(pair.other);
    const processes = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? pair.one : pair.other));
    const answers = await Promise.all(processes.map((process) => bring(process, requestUri)));
    expect(answers.toSorted()).toEqual([...Array.from({ length: 7 }, () => "400"), "login_required"]);
  }
});

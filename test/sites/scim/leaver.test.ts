// Somebody who leaves is out with the request that says so: of sessions and tokens, whatever directories call it.
import { afterAll, expect, test } from "@jest/globals";
import { OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { startService } from "../../support/service.ts";
import { createApplication } from "../oidc/support/application.ts";
import { createLoginPlace } from "../oidc/support/login-place.ts";
import { postForm } from "../oidc/support/machine.ts";
import { authorize, credentialsOf, getTokens, refresh, signIn } from "../oidc/support/signed-in.ts";
import { createDirectory, person } from "./support/scim.ts";

const service = await startService();
const place = await createLoginPlace(service);
const directory = await createDirectory(service, { organizationId: place.organizationId });
afterAll(() => service.stop());

const { BEARER, JWT } = OidcTokenType;
const entra = { Operations: [{ op: "Replace", path: "active", value: "False" }] };
const okta = { Operations: [{ op: "replace", value: { active: false } }] };

test.each([
  ["as Entra does", "PATCH", entra, BEARER, 200],
  ["as Okta does", "PATCH", okta, JWT, 200],
  ["by a whole user", "PUT", { ...person(), active: false }, BEARER, 200],
  ["by a removal", "DELETE", undefined, JWT, 204],
])("a leaver is out at once, %s", async (_how, verb, body, accessTokenType, expected) => {
  const application = await createApplication(service, place, { accessTokenType });
  const userId = await directory.addUser();
  const browser = await signIn(service, userId);
  const { accessToken, refreshToken } = await getTokens(service, application, { browser });
  const askUserinfo = async () => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers })).status;
  };
  const isActive = async (token: string) => {
    const form = { token, ...credentialsOf(application) };
    const { text } = await postForm(service, "/oauth/v2/introspect", form);
    return (JSON.parse(text) as { readonly active: boolean }).active;
  };
  const { json } = await refresh(service, application, refreshToken);
  const next = String(json["refresh_token"]);
  expect([await askUserinfo(), await isActive(accessToken), await isActive(next)]).toEqual([200, true, true]);
  expect((await authorize(service, application, { browser })).back).toHaveProperty("code");

  expect((await directory.send(verb, `/Users/${userId}`, body)).status).toBe(expected);
  expect([await askUserinfo(), await isActive(accessToken), await isActive(next)]).toEqual([
    401,
    false,
    false,
  ]);
  expect((await refresh(service, application, next)).json).toMatchObject({ error: "invalid_grant" });
  expect((await authorize(service, application, { browser })).back).toEqual({});
});

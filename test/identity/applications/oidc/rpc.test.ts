import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { CreateOidcApplicationRequestSchema } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAppType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { createOidcApplicationRpcs } from "../../../../src/identity/applications/oidc/rpc.ts";
import { createGuardedFetch } from "../../../../src/kernel/outbound/guarded-fetch.ts";

const never = async () => {
  throw new Error("only checks are made here");
};
const { createOidcApplication } = createOidcApplicationRpcs(
  { createOidc: never, updateOidc: never },
  createGuardedFetch({ dev: false, allowedHosts: [] }),
);

/** The fields that are refused in a request with that URI. */
function refusedWith(backChannelLogoutUri: string, more: { readonly appType?: OidcAppType } = {}) {
  const redirectUris = ["https://app.example/callback"];
  const request = { backChannelLogoutUri, redirectUris, devMode: true, ...more };
  const violations = createOidcApplication.check?.(create(CreateOidcApplicationRequestSchema, request));
  return (violations ?? []).map(({ field }) => field);
}

test.each([
  ["http elsewhere", "http://app.example/logout"],
  ["http on loopback, which only --dev lets the service reach", "http://127.0.0.1:9/logout"],
  ["a private address", "https://10.0.0.1/logout"],
  ["a name of this machine", "https://localhost/logout"],
  ["user info", "https://a:b@app.example/logout"],
  ["a fragment", "https://app.example/logout#a"],
  ["a wildcard", "https://*.app.example/logout"],
  ["what is no URI", "logout"],
])("a back_channel_logout_uri is refused with %s", (_name, uri) => {
  expect(refusedWith(uri)).toEqual(["back_channel_logout_uri"]);
});

test("a private scheme is none that the service can reach", () => {
  const native = { appType: OidcAppType.NATIVE };
  expect(refusedWith("com.example.app:/logout", native)).toEqual(["back_channel_logout_uri"]);
  expect(refusedWith("https://app.example/logout", native)).toEqual([]);
});

test("a back_channel_logout_uri may be empty, or https with a path and a query", () => {
  expect([refusedWith(""), refusedWith("https://app.example/logout?a=b")]).toEqual([[], []]);
});

// Somebody who leaves the directory is out: of the next login at once, and with the next sync of all that came of earlier ones.
import { afterAll, expect, test } from "@jest/globals";
import { createDirectoryServers } from "../../../../src/identity/directories/servers.ts";
import { syncDirectory } from "../../../../src/identity/directories/sync.ts";
import { listActiveDirectories } from "../../../../src/identity/providers/repository.ts";
import { createDirectories } from "../../../../src/kernel/outbound/directory/directories.ts";
import { startTestDirectory } from "../../../support/directory/test-directory.ts";
import { startService } from "../../../support/service.ts";
import { askForTokens, postForm } from "../../oidc/support/machine.ts";
import { credentialsOf, redemption } from "../../oidc/support/signed-in.ts";
import { beginLogin, openBrowser } from "../support/place.ts";
import {
  createDirectoryPlace,
  logInAtDirectory,
  personEntry,
  readerEntry,
} from "./support/directory-place.ts";

const service = await startService({ dev: true });
const directory = await startTestDirectory([readerEntry, personEntry("ada")]);
afterAll(async () => {
  await directory.stop();
  await service.stop();
});

test("a leaver is out at the next login and with the next sync: session, tokens, refresh", async () => {
  const place = await createDirectoryPlace(service, directory);
  const browser = openBrowser(service);
  const typed = ["ada", "password of ada"] as const;
  const { url } = await logInAtDirectory(service, place, browser, typed, { scope: "openid offline_access" });
  const { json } = await askForTokens(
    service,
    redemption(place.application, url.searchParams.get("code") ?? ""),
  );
  const refresh = (token: unknown) =>
    askForTokens(service, {
      grant_type: "refresh_token",
      refresh_token: String(token),
      client_id: place.application.clientId,
      client_secret: place.application.secret,
    });
  const askUserinfo = async (token: unknown) =>
    (
      await service.http.send({
        method: "GET",
        path: "/oidc/v1/userinfo",
        headers: { authorization: `Bearer ${String(token)}` },
      })
    ).status;
  const introspect = async (token: unknown) =>
    JSON.parse(
      (
        await postForm(service, "/oauth/v2/introspect", {
          token: String(token),
          ...credentialsOf(place.application),
        })
      ).text,
    ) as { readonly active: boolean };
  const refreshed = await refresh(json["refresh_token"]);
  expect([refreshed.status, await askUserinfo(json["access_token"])]).toEqual([200, 200]);
  const tokens = [json["access_token"], refreshed.json["access_token"], refreshed.json["refresh_token"]];
  expect((await Promise.all(tokens.map(introspect))).map(({ active }) => active)).toEqual([true, true, true]);

  directory.entries.pop();
  const again = await logInAtDirectory(service, place, openBrowser(service), typed);
  expect(again.url.searchParams.has("code")).toBe(false);

  const { context } = service;
  const directories = createDirectories({ dev: true, allowedHosts: [], plainTextHosts: [] });
  const ports = { ...context, servers: createDirectoryServers(directories, context.clock) };
  const [provider] = await context.database.read(listActiveDirectories);
  if (provider === undefined) throw new Error("there is no directory");
  expect(await syncDirectory(ports, provider, { isForced: true, isDryRun: false })).toMatchObject({
    leavers: 1,
  });
  expect([
    (await refresh(refreshed.json["refresh_token"])).status,
    await askUserinfo(json["access_token"]),
    (await beginLogin(service, place, browser)).url.searchParams.has("code"),
  ]).toEqual([400, 401, false]);
  expect(await Promise.all(tokens.map(introspect))).toEqual(tokens.map(() => ({ active: false })));
});

import { expect, test } from "@jest/globals";
import { endLogin, logIn } from "../sites/oidc/support/user-agent.ts";
import { expectExamples } from "./support/follow.ts";
import type { Shell } from "./support/shell.ts";
import { ada, openWhenServed, visit } from "./support/visitor.ts";

/** A browser logs in to the service provider. */
async function logInToPortal(shell: Shell): Promise<void> {
  await visit([shell.at(8080), shell.at(3001)], async (atIssuer, atSite) => {
    const { url: asked } = await openWhenServed(atSite, shell.at(3001));
    const answer = await endLogin(atIssuer, await atIssuer.open(asked.href), ada);
    const { page } = await atSite.post(answer.url.href, answer.posted ?? []);
    expect(page).toMatchObject({ status: 200, text: "Hello Ada Lovelace\n" });
    expect((await atSite.post(answer.url.href, answer.posted ?? [])).page?.status).toBe(400); // and it goes on
  });
}

/** Somebody types the password at the address with the code, and allows the device. The next ask gets tokens. */
async function allowDevice(shell: Shell, asked: string): Promise<void> {
  const { verification_uri_complete: link = "" } = JSON.parse(asked) as Readonly<Record<string, string>>;
  await visit([shell.at(8080)], async (agent) => {
    const login = await agent.submit(await agent.open(link), {});
    const end = await agent.submit(await agent.submit(login, ada), { choice: "allow" });
    expect(end.url.pathname).toBe("/device/allowed");
  });
}

/** Grace chooses the button of the company, logs in there, and comes back with an account. */
async function logInAtCompany(shell: Shell, address: string): Promise<void> {
  await visit([shell.at(8080), shell.at(8085)], async (here, there) => {
    const first = await here.open(address.trim());
    expect(first.page?.text).toContain("<bdi>Lamp Works</bdi></button>");
    const [, provider = ""] = /name="provider" value="(\d+)"/.exec(first.page?.text ?? "") ?? [];
    const left = await here.submit(first, { provider });
    const grace = { username: "grace", password: "a moth in the relay" };
    const back = await logIn(there, await there.open(left.url.href), grace);
    const { page, url } = await here.open(back.href);
    expect([url.pathname, page?.text]).toEqual(["/account", expect.stringContaining("grace")]);
  });
}

test("docs/login/openid-connect.md makes an application and pushes a request", async () => {
  await expectExamples("docs/login/openid-connect.md");
});

test("docs/login/saml.md shows a service provider that greets its users", async () => {
  await expectExamples("docs/login/saml.md", [
    [
      "node portal.mjs",
      (shell) =>
        visit(
          [shell.at(3001)],
          async (agent) => void (await openWhenServed(agent, `${shell.at(3001)}/metadata`)),
        ),
    ],
    ["PORTAL=", logInToPortal],
  ]);
});

test("docs/login/devices.md lets a television in once its user has allowed it", async () => {
  await expectExamples("docs/login/devices.md", [
    ["ASKED=", async (_shell, asked) => expect(asked).toContain("verification_uri_complete")],
    [
      "DEVICE=",
      async (shell) => {
        // For other codes: somebody who asks again within 5 seconds is told to slow down.
        const scope = "openid profile offline_access";
        const codes = `curl -s http://127.0.0.1:8080/oauth/v2/device_authorization -d client_id=$TV -d scope="${scope}"`;
        await allowDevice(shell, await shell.run(`ASKED=$(${codes}); echo "$ASKED"`));
        const given = await shell.run(`DEVICE=$(echo "$ASKED" | sed 's/.*"device_code":"\\([^"]*\\)".*/\\1/')
          curl -s http://127.0.0.1:8080/oauth/v2/token -d client_id=$TV -d device_code=$DEVICE \
          -d grant_type=urn:ietf:params:oauth:grant-type:device_code`);
        expect(given).toContain("access_token");
      },
    ],
  ]);
});

test("docs/login/providers.md lets people log in with a second Gatehouse", async () => {
  await expectExamples("docs/login/providers.md", [["ORGANIZATION=", logInAtCompany]]);
});

test("docs/login/gateway.md registers a gateway", async () => {
  await expectExamples("docs/login/gateway.md", [
    ["/v1/idps", async (_shell, printed) => expect(printed).toMatch(/"idpId":"\d+"/)],
  ]);
});

test("docs/login/known-providers.md registers GitHub", async () => {
  await expectExamples("docs/login/known-providers.md", [
    ["IDP=", async (shell) => expect(await shell.run("echo $IDP")).toMatch(/^\d+/)],
  ]);
});

test("docs/login/saml-provider.md registers a provider of SAML", async () => {
  await expectExamples("docs/login/saml-provider.md", [
    ["IDP=", async (shell) => expect(await shell.run("echo $IDP")).toMatch(/^\d+/)],
  ]);
});

test("docs/login/ldap.md registers a directory, and a group of it", async () => {
  await expectExamples("docs/login/ldap.md", [
    ["IDP=", async (shell) => expect(await shell.run("echo $IDP")).toMatch(/^\d+/)],
    ["/v1/groups", async (_shell, printed) => expect(printed).toMatch(/"id":"\d+"/)],
  ]);
});

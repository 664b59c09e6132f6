import { expect, test } from "@jest/globals";
import { logIn, toAuthorizationUrl } from "../sites/oidc/support/user-agent.ts";
import { expectExamples } from "./support/follow.ts";
import { readNamed } from "./support/page.ts";
import type { Shell } from "./support/shell.ts";
import { ada, openWhenServed, visit } from "./support/visitor.ts";

/** A browser logs in to the application, and another one is lured to it. */
async function logInToGreeter(shell: Shell): Promise<void> {
  const [issuer, origin] = [shell.at(8080), shell.at(3000)];
  await visit([issuer, origin, origin], async (atIssuer, atSite, elsewhere) => {
    const { url: asked } = await openWhenServed(atSite, origin);
    const back = await logIn(atIssuer, await atIssuer.open(asked.href), ada);
    const { page } = await atSite.open(back.href);
    expect(page).toMatchObject({ status: 200, text: "Hello Ada Lovelace\n" });
    expect(page?.headers.get("content-type")).toBe("text/plain; charset=utf-8"); // a name is no HTML
    for (const path of ["/callback", "/callback?error=access_denied"])
      expect((await atSite.open(`${origin}${path}`)).page?.status).toBe(400); // and it goes on
    // Somebody asks for a code without a secret of a browser, and brings it to another browser.
    const bare = toAuthorizationUrl(issuer, [
      ["client_id", asked.searchParams.get("client_id") ?? ""],
      ["response_type", "code"],
      ["scope", "openid profile"],
      ["redirect_uri", `${origin}/callback`],
    ]);
    const lure = await logIn(atIssuer, await atIssuer.open(bare), ada);
    expect(lure.searchParams.get("code")).not.toBeNull();
    expect((await elsewhere.open(lure.href)).page?.status).toBe(400);
  });
}

test("README.md works as it stands: a start, the first calls, and an application that greets its users", async () => {
  const [program = ""] = readNamed("README.md", "greeter.mjs");
  const lines = program.split("\n").filter((line) => line !== "");
  expect(lines.length).toBeLessThanOrEqual(20);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(130);
  await expectExamples("README.md", [
    [
      "users/me",
      async (_shell, printed) => expect(Object.keys(JSON.parse(printed) as object)).toEqual(["user"]),
    ],
    ["node greeter.mjs", logInToGreeter],
  ]);
});

import { describe, expect, test } from "@jest/globals";
import { toId } from "../../../../src/kernel/base/ids.ts";
import { hashToken } from "../../../../src/identity/programs/tokens/token.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { type Client, isSecretOf } from "../../../../src/sites/oidc/clients/client.ts";
import { readClientCredentials } from "../../../../src/sites/oidc/clients/client-credentials.ts";

const ofSecret = (secret: string): Client => ({
  kind: "service-user",
  id: toId("1"),
  accessTokenType: "BEARER",
  signingAlgorithm: "RS256",
  keys: [],
  secret: { id: toId("2"), hash: hashToken(secret), expirationMs: undefined },
});

const readBasic = (id: string, secret: string) =>
  readClientCredentials(`Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`, new Map());

/** As x/oauth2 does: as in a query. */
const asQuery = (text: string) => new URLSearchParams({ text }).toString().slice("text=".length);
/** As openid-client does: more than a form needs. */
const asMuch = (text: string) =>
  encodeURIComponent(text).replaceAll(/[-_.!~*'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

describe("a secret in HTTP Basic is the same in each spelling that clients send:", () => {
  const secrets = ["s-e_c.r~e't", "a+b c", "a%2Bb", "100%", "%zz", "+", "ü:ß", "a:b:c"];
  const spellings: Readonly<Record<string, (text: string) => string>> = {
    "as in a form (RFC 6749 §2.3.1)": asQuery,
    "with more encoded than needed": asMuch,
    "percent-encoded": encodeURIComponent,
    "as it is (RFC 7617 §2)": (text) => text,
  };

  test.each(Object.entries(spellings))("%s", async (_name, spell) => {
    for (const secret of secrets) {
      const read = readBasic(spell("my-client"), spell(secret));
      expect(read).toMatchObject({ kind: "secret", clientId: "my-client" });
      const sent = read.kind === "secret" ? read.spellings : [];
      expect([secret, await isSecretOf(ofSecret(secret), sent)]).toEqual([secret, true]);
      expect(await isSecretOf(ofSecret(`${secret}x`), sent)).toBe(false);
    }
  });

  test("and an empty one is none", () => {
    expect(readBasic("my%2Dclient", "")).toEqual({ kind: "none", clientId: "my-client" });
  });
});

test("a secret that is no secret of the client fits in no spelling", async () => {
  const client = { ...ofSecret("a"), secret: undefined };
  expect(await isSecretOf(client, [new Secret("a"), new Secret("")])).toBe(false);
});

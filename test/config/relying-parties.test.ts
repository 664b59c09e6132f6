import { describe, expect, test } from "@jest/globals";
import { parseConfig } from "../../src/config/config.ts";

const idsOf = (flags: Readonly<Record<string, string>>) =>
  parseConfig(flags, {}).relyingParties.map(({ id }) => id);

describe("--rp-ids with --issuer", () => {
  const issuer = "https://id.a.test";

  test.each(["a.test", "id.a.test", "b.test,a.test"])("may be %s for https://id.a.test", (ids) => {
    expect(idsOf({ issuer, "rp-ids": ids })).toEqual(ids.split(","));
  });

  test.each(["b.test", "login.id.a.test", "d.a.test", "b.test,c.test"])("is refused if it is %s", (ids) => {
    expect(() => idsOf({ issuer, "rp-ids": ids })).toThrow(
      "--rp-ids: none is the host of --issuer https://id.a.test or a parent domain of it, so no security key would count at a login; add id.a.test",
    );
  });

  test("may be anything for an address, which has no relying party", () => {
    expect(idsOf({ issuer: "https://192.0.2.1", "rp-ids": "b.test" })).toEqual(["b.test"]);
    expect(idsOf({ issuer: "https://[2001:db8::1]", "rp-ids": "b.test" })).toEqual(["b.test"]);
  });
});

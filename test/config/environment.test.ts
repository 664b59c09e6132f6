import { describe, expect, test } from "@jest/globals";
import { ConfigError } from "../../src/config/config-error.ts";
import { listUnknownVariables } from "../../src/config/environment.ts";
import { environmentNameOf, type OptionDefinition } from "../../src/config/option.ts";
import { optionDefinitions } from "../../src/config/options.ts";

const definitions: readonly OptionDefinition[] = optionDefinitions;

describe("listUnknownVariables", () => {
  test("knows every option, and the file form of secrets", () => {
    const names = definitions.flatMap(({ name, isSecret }) => {
      const variable = environmentNameOf(name);
      return isSecret === true ? [variable, `${variable}_FILE`] : [variable];
    });
    expect(listUnknownVariables(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
  });

  test.each([
    ["GATEHOUSE_LISTNE", "GATEHOUSE_LISTEN"],
    ["GATEHOUSE_TLSCERT", "GATEHOUSE_TLS_CERT"],
    ["GATEHOUSE_DATTA", "GATEHOUSE_DATA"],
    ["GATEHOUSE_DVE", "GATEHOUSE_DEV"],
    ["GATEHOUSE_RP_ID", "GATEHOUSE_RP_IDS"],
    ["GATEHOUSE_TWILIO_AUTH_TOKEN_FLE", "GATEHOUSE_TWILIO_AUTH_TOKEN_FILE"],
  ])("refuses %s for %s", (name, meant) => {
    const list = () => listUnknownVariables({ [name]: "secret value" });
    expect(list).toThrow(ConfigError);
    expect(list).toThrow(`${name} is not a variable of gatehouse; did you mean ${meant}?`);
  });

  test("returns what is far from any, in order, and nothing of other programs", () => {
    const environment = {
      GATEHOUSE_ZOO: "",
      GATEHOUSE_ENV: "",
      GATEHOUSES: "",
      PATH: "",
      GATEHOUSE_CONFIG_FILE: "",
    };
    expect(listUnknownVariables(environment)).toEqual([
      "GATEHOUSE_CONFIG_FILE",
      "GATEHOUSE_ENV",
      "GATEHOUSE_ZOO",
    ]);
  });

  test("passes over what Kubernetes sets for a service of that name", () => {
    const names = [
      "GATEHOUSE_SERVICE_HOST",
      "GATEHOUSE_SERVICE_PORT",
      "GATEHOUSE_SERVICE_PORT_HTTP",
      "GATEHOUSE_PORT",
      "GATEHOUSE_PORT_8080_TCP",
      "GATEHOUSE_PORT_8080_TCP_ADDR",
    ];
    expect(listUnknownVariables(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
  });
});

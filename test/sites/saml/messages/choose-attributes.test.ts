import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  type SamlAttribute,
  type SamlAttributeSource,
  samlAttributeSources,
} from "../../../../src/identity/applications/saml/saml-settings.ts";
import {
  type AttributeSubject,
  type AttributeWish,
  chooseAttributes,
} from "../../../../src/sites/saml/messages/choose-attributes.ts";
import { ada } from "./support/people.ts";

const basic = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
const uri = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri";
const subject: AttributeSubject = { user: ada, roleKeys: ["writer", "admin", "writer"] };
const everything = ["Email", "SurName", "FirstName", "FullName", "UserName", "UserID", "Roles"];

type Asked = { readonly name: string; readonly nameFormat: string | undefined };

function service(index: number, names: readonly (string | Asked)[], isDefault = index === 0) {
  const requested = names.map((each) =>
    typeof each === "string" ? { name: each, nameFormat: undefined } : each,
  );
  return { index, isDefault, requested };
}

function choose(
  services: AttributeWish["serviceProvider"]["attributeServices"],
  {
    settings = [],
    only = true,
    index,
    about = subject,
  }: {
    readonly settings?: readonly SamlAttribute[];
    /** Whether the setting is on that narrows what is told to what the metadata asks for. */
    readonly only?: boolean;
    readonly index?: number;
    readonly about?: AttributeSubject;
  } = {},
) {
  const wish = {
    serviceProvider: { attributeServices: services },
    settings: { attributes: settings, onlyRequestedAttributes: only },
    index,
  };
  return chooseAttributes(wish, about);
}
const chooseAll = (...[services, options]: Parameters<typeof choose>) =>
  choose(services, { ...options, only: false });
const namesOf = (attributes: ReturnType<typeof choose>) => attributes.map(({ name }) => name);

describe("without a wish", () => {
  test("everything is told under our names, in their order", () => {
    expect(chooseAll([])).toEqual([
      { name: "Email", nameFormat: basic, values: ["ada@example.com"] },
      { name: "SurName", nameFormat: basic, values: ["Lovelace"] },
      { name: "FirstName", nameFormat: basic, values: ["Ada"] },
      { name: "FullName", nameFormat: basic, values: ["Countess Ada"] },
      { name: "UserName", nameFormat: basic, values: ["ada"] },
      { name: "UserID", nameFormat: basic, values: ["4711"] },
      { name: "Roles", nameFormat: basic, values: ["admin", "writer"] },
    ]);
  });

  test("the same is told when nothing is known of what the metadata asks for", () => {
    expect(namesOf(chooseAll([service(0, ["urn:oid:1.2.3", "phone"])]))).toEqual(everything);
    expect(namesOf(chooseAll([service(0, [])]))).toEqual(everything);
  });

  test("nothing is told when only that is wanted", () => {
    expect(choose([service(0, ["urn:oid:1.2.3", "phone"])])).toEqual([]);
    expect(choose([])).toEqual([]);
  });

  test.each<readonly [string, AttributeSubject, string]>([
    ["an email that nobody has verified", { ...subject, user: { ...ada, isEmailVerified: false } }, "Email"],
    ["a family name that is empty", { ...subject, user: { ...ada, familyName: "" } }, "SurName"],
    ["roles that the project does not assert", { ...subject, roleKeys: undefined }, "Roles"],
    ["roles that the user does not have", { ...subject, roleKeys: [] }, "Roles"],
    ["a text that XML cannot hold", { ...subject, user: { ...ada, displayName: "Ada\uffff" } }, "FullName"],
    ["a control character", { ...subject, user: { ...ada, username: "a\u0000" } }, "UserName"],
    ["half a character", { ...subject, user: { ...ada, givenName: "\ud800" } }, "FirstName"],
  ])("%s is left out", (_what, about, missing) => {
    expect(namesOf(chooseAll([], { about }))).toEqual(everything.filter((name) => name !== missing));
  });

  test("one of several roles that XML cannot hold is left out", () => {
    const roles = chooseAll([], { about: { ...subject, roleKeys: ["a\ufffe", "b"] } }).at(-1);
    expect(roles).toEqual({ name: "Roles", nameFormat: basic, values: ["b"] });
  });

  test.each([
    ["Ada", "Lovelace", "Ada Lovelace"],
    ["Ada", "", "Ada"],
    ["", "Lovelace", "Lovelace"],
  ])("the full name of %j %j without display name is %j", (givenName, familyName, fullName) => {
    const user = { ...ada, givenName, familyName, displayName: "" };
    expect(chooseAll([], { about: { ...subject, user } })).toContainEqual({
      name: "FullName",
      nameFormat: basic,
      values: [fullName],
    });
  });
});

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const knownNames: readonly (readonly [SamlAttributeSource, readonly string[]])[] = [
  ["Email", ["Email", "email", "mail", "urn:oid:0.9.2342.19200300.100.1.3", `${claims}/emailaddress`]],
  ["SurName", ["SurName", "last_name", "sn", "urn:oid:2.5.4.4", `${claims}/surname`]],
  ["FirstName", ["FirstName", "first_name", "givenName", "urn:oid:2.5.4.42", `${claims}/givenname`]],
  ["FullName", ["FullName", "name", "displayName", "urn:oid:2.16.840.1.113730.3.1.241", `${claims}/name`]],
  ["UserName", ["UserName", "uid", "urn:oid:0.9.2342.19200300.100.1.1"]],
  ["UserID", ["UserID"]],
  ["Roles", ["Roles", "roles", "groups", "urn:oid:1.3.6.1.4.1.5923.1.5.1.1"]],
];

describe("SAML Metadata §2.4.4: what the metadata asks for", () => {
  test.each(knownNames)("%s is told under each name that it has elsewhere, in any case", (source, names) => {
    const own = chooseAll([]).find(({ name }) => name === source);
    const spelled = [...new Set(names.flatMap((name) => [name, name.toUpperCase()]))];
    expect(choose([service(0, spelled)])).toEqual(
      spelled.map((name) => ({ name, nameFormat: undefined, values: own?.values })),
    );
  });

  test("is told, and nothing else, in the name format that it asks for", () => {
    const asked = [{ name: "mail", nameFormat: uri }, { name: "mail", nameFormat: basic }, "phone"];
    expect(choose([service(0, asked)])).toEqual([
      { name: "mail", nameFormat: uri, values: ["ada@example.com"] },
      { name: "mail", nameFormat: basic, values: ["ada@example.com"] },
    ]);
  });

  test("is told besides everything unless the setting narrows it, and no name twice", () => {
    const told = chooseAll([service(0, ["mail", { name: "Email", nameFormat: uri }, "UserID", "phone"])]);
    expect(namesOf(told)).toEqual([
      "SurName",
      "FirstName",
      "FullName",
      "UserName",
      "Roles",
      "mail",
      "Email",
      "UserID",
    ]);
    expect(told.find(({ name }) => name === "Email")?.nameFormat).toBe(uri);
  });

  test("is told alone if everything would be more than five thousand values", () => {
    const roleKeys = Array.from({ length: 3000 }, (_, at) => `role ${at}`);
    const told = chooseAll([service(0, ["groups", "mail"])], { about: { ...subject, roleKeys } });
    expect(namesOf(told)).toEqual(["groups", "mail"]);
  });

  test("is nothing when the user has none of it", () => {
    const about = { ...subject, user: { ...ada, isEmailVerified: false } };
    expect(choose([service(0, ["mail"])], { about })).toEqual([]);
  });

  test("is told under twenty names at the most, and refused beyond five thousand values", () => {
    const names = (count: number) =>
      service(
        0,
        Array.from({ length: count }, (_, at) => ({ name: "groups", nameFormat: `urn:${at}` })),
      );
    expect(choose([names(9000)])).toHaveLength(20);
    const roleKeys = (count: number) => Array.from({ length: count }, (_, at) => `role ${at}`);
    const tell = (count: number) =>
      choose([names(20)], { about: { ...subject, roleKeys: roleKeys(count) } }).length;
    expect(tell(250)).toBe(20);
    expect(() => tell(251)).toThrow(expect.objectContaining({ status: "RequestDenied" }));
  });

  test("is chosen by the index of the request, else by default", () => {
    const services = [service(1, ["mail"]), service(2, ["uid"], true), service(3, ["sn"])];
    expect(namesOf(choose(services, { index: 1 }))).toEqual(["mail"]);
    expect(namesOf(choose(services))).toEqual(["uid"]);
    expect(namesOf(choose(services, { index: 9 }))).toEqual(["uid"]);
  });
});

describe("the settings of an application", () => {
  const settings: readonly SamlAttribute[] = [
    { kind: "source", name: "user", nameFormat: "", source: "UserName" },
    { kind: "constant", name: "tenant", nameFormat: uri, constant: "a & b" },
    { kind: "source", name: "groups", nameFormat: "", source: "Roles" },
  ];

  test("decide alone", () => {
    expect(choose([service(0, ["mail"])], { settings, index: 0 })).toEqual([
      { name: "user", nameFormat: basic, values: ["ada"] },
      { name: "tenant", nameFormat: uri, values: ["a & b"] },
      { name: "groups", nameFormat: basic, values: ["admin", "writer"] },
    ]);
  });

  test("tell roles only if the project asserts them", () => {
    expect(namesOf(choose([], { settings, about: { ...subject, roleKeys: undefined } }))).toEqual([
      "user",
      "tenant",
    ]);
  });
});

test("no name is told twice in a format, and none without a value", () => {
  const names = fc.constantFrom(...knownNames.flatMap(([, each]) => each), "phone");
  const formats = fc.constantFrom(basic, uri, undefined);
  const asked = fc.array(fc.record({ name: names, nameFormat: formats }), { maxLength: 12 });
  const sources = fc.constantFrom(...samlAttributeSources);
  const settings = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant("source" as const),
        name: names,
        nameFormat: fc.constant(""),
        source: sources,
      }),
      fc.record({
        kind: fc.constant("constant" as const),
        name: names,
        nameFormat: fc.constantFrom(basic, uri),
        constant: fc.constantFrom("a", "\uffff"),
      }),
    ),
    { maxLength: 6 },
  );
  const texts = fc.constantFrom("", "text", "\u0001");
  const people = fc.record({ givenName: texts, familyName: texts, displayName: texts, username: texts });
  fc.assert(
    fc.property(asked, settings, people, (requested, own, person) => {
      const about = { ...subject, user: { ...ada, ...person } };
      const told = choose([{ index: 0, isDefault: true, requested }], { settings: own, about });
      const keys = told.map(({ name, nameFormat }) => `${name} ${nameFormat ?? ""}`);
      const values = told.flatMap((each) => each.values);
      return (
        new Set(keys).size === keys.length &&
        told.every((each) => each.values.length > 0) &&
        values.every((value) => !["", "\u0001", "\uffff"].includes(value))
      );
    }),
  );
});

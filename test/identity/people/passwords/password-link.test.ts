import { describe, expect, test } from "@jest/globals";
import {
  linkByTemplate,
  linkToPage,
  originOfTemplate,
} from "../../../../src/identity/people/passwords/password-link.ts";
import { reasonOf } from "../../../support/problems.ts";

describe("a template", () => {
  test.each([
    ["https://app.example/reset?code={code}", "https://app.example"],
    ["https://app.example/reset/{code}", "https://app.example"],
    ["https://app.example/{code}?user=1&lang=de", "https://app.example"],
    ["http://localhost:8080/a?b={code}", "http://localhost:8080"],
    ["https://[fd00::1]:8443/?c={code}", "https://[fd00::1]:8443"],
  ])("may be %s", (template, origin) => {
    expect(originOfTemplate(template, "send_link.url_template")).toBe(origin);
  });

  test.each([
    "",
    "{code}",
    "https://app.example/reset",
    "https://app.example/?a={code}&b={code}",
    "https://{code}.example/",
    "https://app.example{code}",
    "https://app.example:{code}/",
    "https://user@app.example/?c={code}",
    "https://app.example@evil.example/?c={code}",
    "https://app.example/#{code}",
    "https://app.example\\@evil.example/{code}",
    "https:/app.example/{code}",
    "HTTPS://app.example/{code}",
    "https://APP.example/{code}",
    "https://app.example:443/{code}",
    "//app.example/{code}",
    "javascript:alert({code})",
    "https://app.example/a b?c={code}",
    "https://app.example/\n\n{code}",
    "https://app.example/<{code}>",
    'https://app.example/"{code}',
    "https://app.example/ü{code}",
    " https://app.example/{code}",
  ])("must not be %j", (template) => {
    expect(reasonOf(() => originOfTemplate(template, "send_link.url_template"))).toBe("FIELD_INVALID");
  });

  test("gets the code as it is", () => {
    expect(linkByTemplate("https://app.example/?c={code}&d=1", "AB$&C")).toBe(
      "https://app.example/?c=AB$&C&d=1",
    );
  });
});

test("the page of our own is told the code, and the application if there is one", () => {
  const issuer = "https://login.example";
  expect(linkToPage(issuer, { userId: "12", code: "ABC" })).toBe(
    "https://login.example/login/password/12?code=ABC",
  );
  expect(linkToPage(issuer, { userId: "12", code: "ABC", clientId: "3&4" })).toBe(
    "https://login.example/login/password/12?code=ABC&client_id=3%264",
  );
});

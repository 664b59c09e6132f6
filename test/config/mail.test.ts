import { describe, expect, test } from "@jest/globals";
import { parseConfig } from "../../src/config/config.ts";
import { divide, mailWebhook, refusalOf, smtp } from "./samples.ts";

describe("--mail-provider", () => {
  test.each([
    [{ ...mailWebhook, "mail-webhook-url": "" }, "--mail-provider webhook needs GATEHOUSE_MAIL_WEBHOOK_URL"],
    [
      { ...mailWebhook, "mail-webhook-url": "a.test" },
      "--mail-webhook-url must be an absolute http or https URL",
    ],
    [
      { ...mailWebhook, "mail-provider": "" },
      "GATEHOUSE_MAIL_WEBHOOK_URL has no effect without --mail-provider webhook",
    ],
    [{ "smtp-from": "a@a.test" }, "GATEHOUSE_SMTP_FROM has no effect without --mail-provider smtp"],
    [{ ...smtp, "smtp-url": "" }, "--mail-provider smtp needs GATEHOUSE_SMTP_URL"],
    [{ ...smtp, "smtp-from": "" }, "--mail-provider smtp needs GATEHOUSE_SMTP_FROM"],
  ])("refuses %j", (options, message) => {
    const { flags, environment } = divide(options);
    expect(refusalOf(flags, environment)).toBe(message);
  });

  test.each([
    "mail.test",
    "http://mail.test",
    "smtp://",
    "smtp://mail.test/path",
    "smtp://mail.test?x",
    "smtp://mail.test#x",
    "smtp://mail.test:0",
    "smtp://mail.test:65536",
    "smtp://a b",
    "smtp://a@b@mail..test",
    "smtp://%zz@mail.test",
  ])("refuses the URL %s", (url) => {
    const { flags, environment } = divide({ ...smtp, "smtp-url": url });
    expect(refusalOf(flags, environment)).toMatch(/^--smtp-url must be of the form/);
  });

  test.each([
    "",
    "ada",
    "a@a.test, b@b.test",
    "a@a.test\r\nbcc: b@b.test",
    "<a@a.test",
    "a\nb <a@a.test>",
    "x <a b@c>",
  ])("refuses the sender %j", (from) => {
    const { flags, environment } = divide({ ...smtp, "smtp-from": from });
    expect(refusalOf(flags, environment)).toMatch(/^--(?:smtp-from must be|mail-provider smtp needs)/);
  });

  test("takes the password from the URL in the variable, and never from a flag or twice", () => {
    const { "smtp-url": _url, GATEHOUSE_SMTP_PASSWORD: _password, ...flags } = smtp;
    const environment = { GATEHOUSE_SMTP_URL: "smtp://a%40b:p%3Aw@mail.test" };
    const { mail } = parseConfig(flags, environment);
    const { user, password } = (mail.kind === "smtp" ? mail.credentials : undefined) ?? {};
    expect([user, password?.reveal()]).toEqual(["a@b", "p:w"]);
    const refusals = [
      refusalOf({ ...flags, "smtp-url": "smtp://ada:canary@mail.test" }),
      refusalOf(flags, { ...environment, GATEHOUSE_SMTP_PASSWORD: "canary" }),
      refusalOf({ ...flags, "smtp-url": "smtp://ada@mail.test" }),
      refusalOf({ ...flags, "smtp-url": "smtp://mail.test" }, { GATEHOUSE_SMTP_PASSWORD: "canary" }),
    ];
    expect(refusals).toEqual([
      expect.stringContaining("--smtp-url must not contain the password"),
      expect.stringContaining("give it once"),
      expect.stringContaining("needs a user and a password, or neither"),
      expect.stringContaining("needs a user and a password, or neither"),
    ]);
    expect(refusals.join("")).not.toContain("canary");
    expect(JSON.stringify(mail)).not.toContain("p:w");
  });

  test.each([
    ["smtp://127.0.0.1", "none"],
    ["smtp://localhost:25", "none"],
    ["smtp://[::1]:25", "none"],
    ["smtp://localhost.example.com", "starttls"],
    ["smtp://10.0.0.1", "starttls"],
    ["smtps://localhost", "tls"],
  ])("connects to %s with TLS unless it is on loopback", (url, security) => {
    const { GATEHOUSE_SMTP_PASSWORD: _password, ...flags } = smtp;
    expect(parseConfig({ ...flags, "smtp-url": url }, {}).mail).toMatchObject({
      security,
      credentials: undefined,
    });
  });
});

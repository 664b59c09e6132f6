import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { SMTPServerOptions } from "smtp-server";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { createSmtp, type SmtpOptions } from "../../../src/kernel/outbound/smtp.ts";
import { createTestClock } from "../../support/clock.ts";
import { createCertificate } from "./certificate.ts";
import { startTcp } from "./loopback-server.ts";
import { readMail, startSmtpServer, type TakenMail } from "./smtp-server.ts";

const link = `https://login.example/login/password/12?code=ABCDEFGHIJKLMNOPQRST&client_id=${"1".repeat(80)}`;
const message = { to: "ada@example.com", subject: "Bestätigen Sie", text: `Grüße\n\n${link}\n.\nEnde\n` };
const certificate = createCertificate(["localhost", "127.0.0.1"]);
const secureContext = createSecureContext({ ca: certificate.cert });
const ours = { key: certificate.key, cert: certificate.cert };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startServer(options: SMTPServerOptions = {}) {
  const server = await startSmtpServer(options);
  closers.push(server.close);
  return server;
}

function smtpTo(port: number, options: Partial<SmtpOptions> = {}) {
  const pauses: number[] = [];
  const provider = createSmtp({
    host: "127.0.0.1",
    port,
    security: "none",
    credentials: undefined,
    from: { name: "Ada & Söhne", address: "no-reply@example.com" },
    clock: createTestClock(Date.UTC(2026, 5, 1, 12)),
    sleep: async (ms) => void pauses.push(ms),
    ...options,
  });
  return { ...provider, pauses };
}

const credentials = { user: "gatehouse", password: new Secret("right") };
const only = (mails: readonly TakenMail[]): TakenMail => {
  const [mail, ...others] = mails;
  if (mail === undefined || others.length > 0) throw new Error(`${mails.length} mails instead of one`);
  return mail;
};
const failureOf = async (work: Promise<unknown>): Promise<Error> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error("the mail was sent");
};

describe("a mail", () => {
  test("arrives as it is, with its sender, subject and date, and asks for no answer", async () => {
    const server = await startServer();
    await smtpTo(server.port).send(message);
    const mail = only(server.mails);
    expect([mail.from, mail.to, mail.isSecure, mail.user]).toEqual([
      "no-reply@example.com",
      ["ada@example.com"],
      false,
      undefined,
    ]);
    const { headers, text } = readMail(mail);
    expect(text.trimEnd()).toBe(message.text.trimEnd());
    expect(Object.fromEntries(headers)).toMatchObject({
      from: expect.stringMatching(/^"?Ada & Söhne"? <no-reply@example\.com>$/),
      to: "ada@example.com",
      subject: "Bestätigen Sie",
      date: "Mon, 01 Jun 2026 12:00:00 +0000",
      "auto-submitted": "auto-generated",
      "content-type": expect.stringMatching(/^text\/plain; charset=utf-8/),
    });
    expect(headers.has("x-mailer")).toBe(false);
  });

  test("has the same Message-ID each time it is sent, if it has an id", async () => {
    const server = await startServer();
    for (const id of ["notice-1", "notice-1", "notice-2"]) await smtpTo(server.port).send({ ...message, id });
    const ids = server.mails.map((mail) => readMail(mail).headers.get("message-id"));
    expect(ids).toEqual(["<notice-1@example.com>", "<notice-1@example.com>", "<notice-2@example.com>"]);
  });

  test.each([
    "ada@example.com\r\nbcc: eve@example.com",
    "ada@example.com, eve@example.com",
    "Ada <ada@example.com>",
    '"a b"@example.com',
    "ada@example.com>\r\nRCPT TO:<eve@example.com",
    "",
  ])("to %j is not sent at all", async (to) => {
    const server = await startServer();
    const error = await failureOf(smtpTo(server.port).send({ ...message, to }));
    expect(String(error)).toBe("Error: the SMTP server was not asked: the address is malformed");
    expect(server.mails).toEqual([]);
  });

  test("has no more headers than it should, whatever its subject holds", async () => {
    const server = await startServer();
    const subject = "one\r\nbcc: eve@example.com\r\n\r\ntwo";
    await smtpTo(server.port).send({ ...message, subject });
    const { headers, text } = readMail(only(server.mails));
    expect(headers.has("bcc")).toBe(false);
    expect(text).not.toContain("two");
  });
});

describe("the connection", () => {
  test("is encrypted by STARTTLS before the password and the mail are sent", async () => {
    const server = await startServer({ ...ours, secure: false, authOptional: false });
    await smtpTo(server.port, { security: "starttls", secureContext, credentials }).send(message);
    expect(only(server.mails)).toMatchObject({ isSecure: true, user: "gatehouse" });
  });

  test("is encrypted from the first byte", async () => {
    const server = await startServer({ ...ours, secure: true });
    await smtpTo(server.port, { security: "tls", secureContext, credentials }).send(message);
    expect(only(server.mails)).toMatchObject({ isSecure: true, user: "gatehouse" });
  });

  test("gets neither password nor mail if the server does not offer STARTTLS", async () => {
    const server = await startServer();
    const { send, pauses } = smtpTo(server.port, { security: "starttls", secureContext, credentials });
    expect(String(await failureOf(send(message)))).toMatch(/^Error: the SMTP server /);
    expect([server.mails, server.passwords, pauses]).toEqual([[], [], []]);
  });

  test.each<["starttls" | "tls", boolean]>([
    ["starttls", false],
    ["tls", true],
  ])(
    "with %s refuses a certificate that nobody trusts, or that is another host's",
    async (security, secure) => {
      const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      try {
        const other = createCertificate(["elsewhere.example", "127.0.0.2"]);
        const server = await startServer({ ...ours, secure });
        const wrong = await startServer({ key: other.key, cert: other.cert, secure });
        const trusting = createSecureContext({ ca: other.cert });
        const untrusted = smtpTo(server.port, { security, credentials });
        await failureOf(untrusted.send(message));
        for (const host of ["127.0.0.1", "localhost"]) {
          const provider = smtpTo(wrong.port, { host, security, credentials, secureContext: trusting });
          await failureOf(provider.send(message));
        }
        expect([server.mails, server.passwords, wrong.mails, wrong.passwords]).toEqual([[], [], [], []]);
      } finally {
        if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
        else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
      }
    },
  );

  test("stays plain on loopback, also if the server offers STARTTLS with a certificate of its own", async () => {
    const server = await startServer({ ...ours, secure: false });
    await smtpTo(server.port).send(message);
    expect(only(server.mails).isSecure).toBe(false);
  });
});

describe("a server that does not take the mail", () => {
  const refuse = (code: number): SMTPServerOptions => ({
    onRcptTo: (_address, _session, callback) => {
      const error = new Error(`ada@example.com is unknown: ${message.text}`);
      callback(Object.assign(error, { responseCode: code }));
    },
  });

  test("for good is not asked again", async () => {
    const server = await startServer(refuse(550));
    const { send, pauses } = smtpTo(server.port);
    const error = await failureOf(send(message));
    expect([String(error), pauses]).toEqual(["Error: the SMTP server answered with code 550 to RCPT TO", []]);
  });

  test("for now is asked three times, with growing pauses", async () => {
    const server = await startServer(refuse(451));
    const { send, pauses } = smtpTo(server.port);
    const error = await failureOf(send(message));
    expect([String(error), pauses]).toEqual([
      "Error: the SMTP server answered with code 451 to RCPT TO",
      [500, 2000],
    ]);
  });

  test("because the password is wrong says so, without it", async () => {
    const server = await startServer();
    const wrong = { user: "gatehouse", password: new Secret("canary") };
    const error = await failureOf(smtpTo(server.port, { credentials: wrong }).send(message));
    expect(String(error)).toMatch(/^Error: the SMTP server answered with code 535 to AUTH/);
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/canary|gatehouse@|ada@/);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["says nothing", () => undefined],
    ["says a letter at a time", (socket) => drip(socket)],
    ["hangs after the greeting", (socket) => void socket.write("220 here\r\n")],
    ["hangs in the middle", (socket) => converse(socket, ["220 here", "250 here", "250 ok"])],
    ["hangs after the text", (socket) => converse(socket, ["220 a", "250 a", "250 b", "250 c", "354 d"])],
  ])("and %s is given up", async (_name, handler) => {
    const server = await startTcp((socket) => {
      socket.on("error", () => undefined).resume();
      handler(socket);
    });
    closers.push(server.close);
    const { send, pauses } = smtpTo(server.port, { timeoutMs: 60 });
    const error = await failureOf(send(message));
    expect(String(error)).toMatch(/^Error: the SMTP server gave no answer \((?:TimeoutError|ETIMEDOUT)\)$/);
    expect(pauses).toEqual([500, 2000]);
    await server.allClosed();
  });

  test.each<[string, (socket: Socket) => void]>([
    ["at once", (socket) => socket.destroy()],
    ["after the greeting", (socket) => socket.end("220 here\r\n")],
    ["in the middle", (socket) => converse(socket, ["220 here", "250 here", "250 ok"], true)],
    ["with words that are no answer", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ])("and cuts the connection %s has not taken it", async (_name, handler) => {
    const server = await startTcp((socket) => {
      socket.on("error", () => undefined).resume();
      handler(socket);
    });
    closers.push(server.close);
    const error = await failureOf(smtpTo(server.port).send(message));
    expect(String(error)).toMatch(
      /^Error: the SMTP server (?:gave no answer \([A-Z_]+\)|answered with code \d+.*)$/,
    );
    expect(server.connectionCount()).toBeGreaterThan(0);
  });

  test("tells neither address, text nor code in its errors", async () => {
    const closed = await startTcp(() => undefined);
    await closed.close();
    const refusing = await startServer(refuse(550));
    const errors = [
      await failureOf(smtpTo(closed.port).send(message)),
      await failureOf(smtpTo(refusing.port).send(message)),
    ];
    expect(String(errors[0])).toBe("Error: the SMTP server gave no answer (ECONNREFUSED)");
    expect(inspect(errors, { depth: null, showHidden: true })).not.toMatch(/ada@|ABCDEFGH|Grüße/);
  });
});

/** Answers each line with the next of the replies, then with nothing, or by hanging up. */
function converse(socket: Socket, replies: readonly string[], isCut = false): void {
  const left = [...replies];
  const next = () => {
    const reply = left.shift();
    if (reply !== undefined) socket.write(`${reply}\r\n`);
    else if (isCut) socket.destroy();
  };
  next();
  socket.on("data", next);
}

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("2"), 5);
  socket.once("close", () => clearInterval(timer));
}

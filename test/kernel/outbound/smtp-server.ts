import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail as the server got it. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, with CRLF. */
  readonly source: string;
  readonly isSecure: boolean;
  /** Undefined: nobody has authenticated. */
  readonly user: string | undefined;
}

/** An SMTP server on a free port of 127.0.0.1, which is not ours. */
export interface TestSmtpServer {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  /** The passwords that were sent. */
  readonly passwords: readonly string[];
  close(): Promise<void>;
}

/** Starts a server that takes every mail and the password `right`; `options` change what it does. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const mails: TakenMail[] = [];
  const passwords: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ["STARTTLS"] : [],
    logger: false,
    onAuth(auth, _session, callback) {
      passwords.push(auth.password ?? "");
      if (auth.password === "right") callback(null, { user: auth.username });
      else callback(new Error("the password of ada@example.com is wrong"));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString("utf8"),
          isSecure: session.secure,
          user: session.user,
        });
        callback();
      });
    },
    ...options,
  });
  server.on("error", () => undefined); // clients that go away
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    passwords,
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(closed.resolve);
      await closed.promise;
    },
  };
}

/** Returns what stands in a header, and the text, both decoded. */
export function readMail({ source }: TakenMail): {
  readonly headers: Map<string, string>;
  readonly text: string;
} {
  const [head = "", ...body] = source.split("\r\n\r\n");
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  const encoded = body.join("\r\n\r\n");
  const text = decodeText(encoded, headers.get("content-transfer-encoding") ?? "7bit");
  return { headers, text: text.replaceAll("\r\n", "\n") };
}

/** RFC 2047 §2. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?= =\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuoted(word.replaceAll("_", " ")),
    );
}

function decodeText(text: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(text, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuoted(text.replaceAll("=\r\n", "")) : text;
}

function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([\dA-F]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

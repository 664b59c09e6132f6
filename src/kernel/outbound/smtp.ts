import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { SecureContext } from "node:tls";
import type { Transporter } from "nodemailer";
import type { Clock } from "../base/clock.ts";
import { isEmailAddress, type MailMessage } from "../base/message-providers.ts";
import type { Secret } from "../base/secret.ts";
import { sendTraced, type Tracing } from "../base/tracing/tracing.ts";
import { attempt, type DeliveryFailure, type Recipient, type Sleep } from "./delivery.ts";

/** An SMTP server, and the sender of the mails. */
export interface SmtpOptions {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /**
   * `tls` from the first byte; `starttls`: a server that does not offer it gets neither credentials nor mails; `none`: the
   * connection is not encrypted.
   */
  readonly security: "tls" | "starttls" | "none";
  /** Undefined: the server asks for none. */
  readonly credentials: { readonly user: string; readonly password: Secret } | undefined;
  readonly from: { readonly name: string; readonly address: string };
  readonly clock: Clock;
  readonly sleep?: Sleep;
  /** The trusted certificates; undefined: those that Node trusts. */
  readonly secureContext?: SecureContext | undefined;
  /** For each attempt: connection, TLS, credentials and the whole mail. Default 15,000. */
  readonly timeoutMs?: number;
  readonly tracing?: Tracing | undefined;
}

const name = "the SMTP server";
const defaultTimeoutMs = 15_000;

/**
 * Returns a provider that hands mails to an SMTP server, each over a connection of its own. It tries up to three times, but not after
 * a refusal that lasts (RFC 5321 §4.2.1: 5yz); if the answer to an attempt is lost, the mail can arrive twice. The library is loaded
 * with the first mail.
 */
export function createSmtp(options: SmtpOptions): Recipient<MailMessage> {
  const { sleep = pause } = options;
  return {
    async send(message) {
      if (!isEmailAddress(message.to)) throw new Error(`${name} was not asked: the address is malformed`);
      const sending = { host: options.host, method: "SMTP" };
      await attempt(name, sleep, () =>
        sendTraced(options.tracing, sending, () => trySending(options, message)),
      );
    },
  };
}

async function trySending(
  options: SmtpOptions,
  { id, to, subject, text, html }: MailMessage,
): Promise<DeliveryFailure | undefined> {
  const { from, clock, timeoutMs = defaultTimeoutMs } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  const transport = await createTransport(options, signal);
  try {
    await transport.sendMail({
      from,
      to: { name: "", address: to },
      envelope: { from: from.address, to },
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      ...(id === undefined ? {} : { messageId: `<${id}@${from.address.replace(/^.*@/, "")}>` }), // RFC 5322 §3.6.4
      date: new Date(clock.nowMs()),
      headers: { "auto-submitted": "auto-generated" }, // RFC 3834 §5: no robot answers
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return undefined;
  } catch (error) {
    return toFailure(error, signal);
  }
}

async function createTransport(options: SmtpOptions, signal: AbortSignal): Promise<Transporter> {
  const { host, port, security, credentials, secureContext, timeoutMs = defaultTimeoutMs } = options;
  const nodemailer = await import("nodemailer");
  return nodemailer.createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(credentials === undefined
      ? {}
      : { auth: { user: credentials.user, pass: credentials.password.reveal() } }),
    tls: {
      rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
      minVersion: "TLSv1.2",
      ...(secureContext === undefined ? {} : { secureContext }),
    },
    // A socket of our own, which the end of the time destroys whatever the server does.
    getSocket: (_options, callback) => openSocket({ host, port, signal }, callback),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    socketCloseTimeout: 0,
    logger: false,
  });
}

function openSocket(
  { host, port, signal }: { readonly host: string; readonly port: number; readonly signal: AbortSignal },
  callback: (error: Error | null, options: { readonly connection: Socket } | undefined) => void,
): void {
  const socket = connect({ host, port, signal });
  const failed = (error: Error) => callback(error, undefined);
  socket.once("error", failed);
  socket.once("connect", () => {
    socket.off("error", failed);
    socket.on("error", () => undefined); // after it was given up, nobody else listens
    callback(null, { connection: socket });
  });
}

/** The text of the server may contain the address, so only its codes are passed on. */
function toFailure(error: unknown, signal: AbortSignal): DeliveryFailure {
  const { code, responseCode, command } = error as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly command?: string;
  }; // as nodemailer and the sockets of Node raise errors
  const stage = /^[A-Z]{2,10}(?: [A-Z]{2,10})?$/.test(command ?? "") ? ` to ${command}` : "";
  if (responseCode !== undefined)
    return {
      isTemporary: responseCode < 500,
      message: `answered with code ${responseCode}${stage}`,
    };
  if (signal.aborted) return { isTemporary: true, message: "gave no answer (TimeoutError)" };
  return { isTemporary: code !== "ETLS", message: `gave no answer (${code ?? "unknown"})` };
}

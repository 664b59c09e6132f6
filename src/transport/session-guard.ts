import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Limits } from "./limits.ts";
import { guardResets, type ResetEvents } from "./reset-guard.ts";

/**
 * PING and SETTINGS frames that a session may send at once, and per second afterwards; each stream brings two more. Each
 * must be answered, so a flood of them costs the service more than the caller. Clients that measure the line send a PING
 * per answer at the most. Floods of other frames end their session inside of nghttp2 and Node.
 */
const controlBurst = 2000;
const controlPerSecond = 1000;
const controlPerStream = 2;

/** How long a session that was asked to end may take before its socket is closed under it. */
const closeGraceMs = 1000;

export interface SessionEvents extends ResetEvents {
  streamOpened(): void;
  streamClosed(): void;
}

/**
 * Ends sessions that do not say who they are, that have nothing to do, that fell silent, and that flood. Streams are not
 * timed here: their bodies and answers have limits of their own. Returns what lets the streams end and no other begin, and
 * then ends the session.
 */
export function guardSession(session: ServerHttp2Session, limits: Limits, events: SessionEvents): () => void {
  let streams = 0;
  // For a peer who leaves his half of the connection open.
  const cutSoon = () => setTimeout(events.cut, closeGraceMs).unref();
  const close = (): void => {
    session.close();
    if (streams === 0) cutSoon();
  };
  const waitIdly = () => setTimeout(close, limits.idleTimeoutMs);
  let idle = waitIdly();
  const stopSettings = guardSettings(session, limits.firstByteTimeoutMs, events);
  const spend = guardControlFrames(session, events);
  const noteClosed = guardResets(session, limits.maxResets, events);
  const stopPings = pingWhileBusy(session, limits.idleTimeoutMs, {
    isBusy: () => streams > 0,
    cut: events.cut,
  });
  session.on("error", () => {});
  session.on("stream", (stream: ServerHttp2Stream) => {
    if (streams++ === 0) clearTimeout(idle);
    events.streamOpened();
    spend(-controlPerStream);
    stream.on("error", () => {});
    stream.once("close", () => {
      events.streamClosed();
      noteClosed(stream);
      if (--streams > 0) return;
      if (session.closed) cutSoon();
      else idle = waitIdly();
    });
  });
  session.once("close", () => {
    clearTimeout(idle);
    stopSettings();
    stopPings();
  });
  return close;
}

/**
 * Gives the peer time to send his settings and to acknowledge ours (RFC 9113 §6.5.3): until then the limits in them bind
 * nobody. Returns what ends the watch.
 */
function guardSettings(session: ServerHttp2Session, timeoutMs: number, { cut }: SessionEvents): () => void {
  const missing = new Set(["remoteSettings", "localSettings"]);
  const timer = setTimeout(cut, timeoutMs);
  for (const event of missing) {
    session.once(event, () => {
      missing.delete(event);
      if (missing.size === 0) clearTimeout(timer);
    });
  }
  return () => clearTimeout(timer);
}

/** Ends the session at a flood. Returns what takes from, or adds to, the frames that are left. */
function guardControlFrames(session: ServerHttp2Session, { cut }: SessionEvents): (count: number) => void {
  let left = controlBurst;
  let countedMs = performance.now();
  const spend = (count: number): void => {
    const nowMs = performance.now();
    left = Math.min(controlBurst, left - count + ((nowMs - countedMs) * controlPerSecond) / 1000);
    countedMs = nowMs;
    if (left >= 0 || session.destroyed) return;
    session.destroy(new Error("flood of control frames"), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    cut();
  };
  session.on("ping", () => spend(1));
  session.on("remoteSettings", () => spend(1));
  return spend;
}

/** Cuts a session with open streams that leaves a ping unanswered until the next one is due. Returns what ends it. */
function pingWhileBusy(
  session: ServerHttp2Session,
  everyMs: number,
  { isBusy, cut }: { readonly isBusy: () => boolean; readonly cut: () => void },
): () => void {
  let isWaiting = false;
  const timer = setInterval(() => {
    if (isWaiting) return cut();
    if (!isBusy() || session.destroyed) return;
    isWaiting = session.ping((error) => {
      if (error === null) isWaiting = false;
    });
  }, everyMs);
  return () => clearInterval(timer);
}

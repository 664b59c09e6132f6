import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Limits } from "./limits.ts";
import { createPieceBudget } from "./piece-budget.ts";
import type { RefusedHeaders } from "./refused-headers.ts";
import { guardResets } from "./reset-guard.ts";
import { resetWaits } from "./reset-stream.ts";

/**
 * PING and SETTINGS frames that a session may send at once, and per second afterwards; each stream allows two more. Each frame must
 * be answered, so a flood of them costs the service more than the caller. Clients that measure the line send at most one PING
 * per answer.
 */
const controlBurst = 2000;
const controlPerSecond = 1000;
const controlPerStream = 2;

/**
 * How long the reset of a stream may wait behind earlier data on the connection; never longer than an answer may stay
 * unread. In most cases the stream was reset because its answer had been left unread that long.
 */
const longestResetMs = 10_000;

/** How long a session may take to end on request before its socket is closed. */
const closeGraceMs = 1000;

/**
 * Why a connection was cut: frames or chunks that carry next to nothing, PING and SETTINGS, headers that Node refuses, calls that
 * end early. `protocol`: nghttp2 or Node ended the session by itself, for another flood or for broken frames.
 */
export type Flood = "small-pieces" | "control-frames" | "refused-headers" | "resets" | "protocol";

/** What the guard of a session tells its owner. */
export interface SessionEvents {
  /** Closes the socket: the session must end now. */
  cut(): void;
  /** Records that the session was cut, or is about to be, for a flood. Called once. */
  flooded(flood: Flood): void;
  streamOpened(): void;
  streamClosed(): void;
}

/**
 * Ends a session that does not send its settings, has nothing to do, has fallen silent, or floods. Streams are not timed here:
 * their bodies and answers have limits of their own. The returned function lets open streams end but no new ones begin, and
 * then ends the session.
 */
export function guardSession(
  session: ServerHttp2Session,
  { limits, refusedHeaders }: { readonly limits: Limits; readonly refusedHeaders: RefusedHeaders },
  events: SessionEvents,
): () => void {
  let streams = 0;
  // For a peer that keeps its half of the connection open.
  const cutSoon = () => setTimeout(events.cut, closeGraceMs).unref();
  const close = (): void => {
    session.close();
    if (streams === 0) cutSoon();
  };
  const waitIdly = () => setTimeout(close, limits.idleTimeoutMs);
  let idle = waitIdly();
  const stopSettings = guardSettings(session, limits.firstByteTimeoutMs, events);
  const end = endAtFloods(session, events);
  const spend = guardControlFrames(session, () => end("control-frames"));
  const pieces = createPieceBudget(() => end("small-pieces"));
  const seen = refusedHeaders.watch(session, () => end("refused-headers"));
  const noteClosed = guardResets(session, limits.maxResets, () => end("resets"));
  const stopPings = pingWhileBusy(session, limits.idleTimeoutMs, {
    isBusy: () => streams > 0,
    cut: events.cut,
  });
  cutWhenStuck(session, Math.min(limits.writeTimeoutMs, longestResetMs), events);
  session.on("stream", (stream: ServerHttp2Stream) => {
    if (streams++ === 0) clearTimeout(idle);
    events.streamOpened();
    spend(-controlPerStream);
    pieces.count(stream);
    seen();
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
 * Gives the peer time to send its settings and to acknowledge ours (RFC 9113 §6.5.3): until then the limits in them bind nobody.
 * The returned function ends the watch.
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

/** Creates the function that ends the session at a flood. Also records a session that nghttp2 or Node has ended. */
function endAtFloods(session: ServerHttp2Session, { cut, flooded }: SessionEvents): (flood: Flood) => void {
  let isNoted = false;
  const note = (flood: Flood): void => {
    if (isNoted) return;
    isNoted = true;
    flooded(flood);
  };
  session.on("error", (error: Error & { code?: string }) => {
    // Other errors are those of a broken socket.
    if (error.code?.startsWith("ERR_HTTP2_") === true) note("protocol");
  });
  return (flood) => {
    if (session.destroyed) return;
    note(flood);
    session.destroy(new Error(`flood: ${flood}`), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // A peer that cancels too many calls may be a gateway, which must learn why: its session ends by itself if it reads.
    if (flood === "resets") setTimeout(cut, closeGraceMs).unref();
    else cut();
  };
}

/** Calls `onSpent` at a flood. The returned function counts frames; a negative count allows more. */
function guardControlFrames(session: ServerHttp2Session, onSpent: () => void): (count: number) => void {
  let left = controlBurst;
  let countedMs = performance.now();
  const spend = (count: number): void => {
    const nowMs = performance.now();
    left = Math.min(controlBurst, left - count + ((nowMs - countedMs) * controlPerSecond) / 1000);
    countedMs = nowMs;
    if (left < 0) onSpent();
  };
  session.on("ping", () => spend(1));
  session.on("remoteSettings", () => spend(1));
  return spend;
}

/** Cuts a session whose peer reads so little that even the reset of a stream cannot be sent. */
function cutWhenStuck(session: ServerHttp2Session, timeoutMs: number, { cut }: SessionEvents): void {
  session.on(resetWaits, (stream: ServerHttp2Stream) => {
    const timer = setTimeout(cut, timeoutMs);
    stream.once("close", () => clearTimeout(timer));
  });
}

/** Cuts a session with open streams if it leaves a ping unanswered until the next one is due. The returned function ends this. */
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

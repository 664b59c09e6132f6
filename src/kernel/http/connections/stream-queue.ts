import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Budget, Share } from "../bodies/byte-budget.ts";

/** A stream of HTTP/2 with the headers that opened it. */
export interface OpenedStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The flags of the frame that they came in. */
  readonly flags: number;
  /** Names and values alternating, as they came. */
  readonly rawHeaders: string[];
  /** Address of the peer of the connection. */
  readonly remoteAddress: string | undefined;
  /**
   * Lets the next call of the connection start, because this one is answered or may last forever. Harmless to repeat.
   */
  giveWay(): void;
}

/** How many calls of a connection run at a time, and what the others may hold. */
export interface StreamQueueOptions {
  /** Calls of one connection in progress at the same time. */
  readonly maxStreams: number;
  /** The bytes that all waiting calls together may hold. */
  readonly budget: Budget;
  /** Serves a call, which then ends with `giveWay`. */
  readonly start: (opened: OpenedStream) => void;
}

/**
 * Creates what takes the streams of a session from its beginning and starts their calls in the order in which they came, up to
 * `maxStreams` of a connection at a time; the others wait unread. A call starts one turn of the event loop after the read that
 * brought it, so that a stream that is reset in the same read costs no call. Clients get a higher number
 * (SETTINGS_MAX_CONCURRENT_STREAMS), because they and the service do not agree on when a stream is closed: if the two numbers were
 * the same, nghttp2 would end connections whose clients keep to it.
 */
export function createStreamQueues(options: StreamQueueOptions): (session: ServerHttp2Session) => void {
  let due: StreamQueue[] = [];
  const onTurn = (): void => {
    const queues = due;
    due = [];
    for (const queue of queues) queue.advance();
  };
  const onDue = (queue: StreamQueue): void => {
    if (due.push(queue) === 1) setImmediate(onTurn);
  };
  return (session) => {
    const queue = new StreamQueue(options, session.socket.remoteAddress, onDue);
    session.on(
      "stream",
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]) => {
        queue.append(new QueuedStream(queue, { stream, headers, flags, rawHeaders }));
      },
    );
  };
}

/** The calls of one connection: those in progress and those that wait. */
class StreamQueue {
  readonly options: StreamQueueOptions;
  /** Kept here because asking the socket of a session goes through a proxy each time. */
  readonly remoteAddress: string | undefined;
  readonly #onDue: (queue: StreamQueue) => void;
  #first: QueuedStream | undefined;
  #last: QueuedStream | undefined;
  #waiting = 0;
  #working = 0;
  #isDue = false;

  constructor(
    options: StreamQueueOptions,
    remoteAddress: string | undefined,
    onDue: (queue: StreamQueue) => void,
  ) {
    this.options = options;
    this.remoteAddress = remoteAddress;
    this.#onDue = onDue;
  }

  append(call: QueuedStream): void {
    call.before = this.#last;
    if (this.#last === undefined) this.#first = call;
    else this.#last.after = call;
    this.#last = call;
    this.#waiting++;
    if (this.#waiting + this.#working > this.options.maxStreams) call.hold();
    this.#askForTurn();
  }

  /** Starts as many calls as may be in progress. */
  advance(): void {
    this.#isDue = false;
    while (this.#first !== undefined && this.#working < this.options.maxStreams) {
      const call = this.#first;
      this.remove(call);
      if (call.stream.closed) continue;
      this.#working++;
      call.begin();
    }
  }

  remove(call: QueuedStream): void {
    this.#waiting--;
    if (call.before === undefined) this.#first = call.after;
    else call.before.after = call.after;
    if (call.after === undefined) this.#last = call.before;
    else call.after.before = call.before;
    // A removed call points to nothing: as garbage of the old generation it would keep younger calls alive.
    call.before = undefined;
    call.after = undefined;
    call.letGo();
  }

  /** Gives the place of a finished call to the next one. */
  leave(): void {
    this.#working--;
    this.#askForTurn();
  }

  /** Not at once: calls that fail early would hold the loop until the whole queue is done. */
  #askForTurn(): void {
    if (this.#isDue || this.#first === undefined || this.#working >= this.options.maxStreams) return;
    this.#isDue = true;
    this.#onDue(this);
  }
}

/** Minimum memory of a waiting call: Node's objects for its stream, and headers of the usual limit. */
const bytesPerCall = 16 * 1024;
/** Memory of a piece of a body besides its bytes. */
const bytesPerPiece = 256;

/** A member of a queue. A class, because there is one for each call. */
class QueuedStream implements OpenedStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly flags: number;
  readonly rawHeaders: string[];
  before: QueuedStream | undefined;
  after: QueuedStream | undefined;
  readonly #queue: StreamQueue;
  #isWorking = false;
  /** Ends the holding. */
  #end: (() => void) | undefined;

  constructor(
    queue: StreamQueue,
    { stream, headers, flags, rawHeaders }: Omit<OpenedStream, "remoteAddress" | "giveWay">,
  ) {
    this.#queue = queue;
    this.stream = stream;
    this.headers = headers;
    this.flags = flags;
    this.rawHeaders = rawHeaders;
  }

  get remoteAddress(): string | undefined {
    return this.#queue.remoteAddress;
  }

  begin(): void {
    this.#isWorking = true;
    this.#queue.options.start(this);
  }

  giveWay(): void {
    if (!this.#isWorking) return;
    this.#isWorking = false;
    this.#queue.leave();
  }

  /**
   * Holds the call while it waits, within the budget of all that wait. Beyond it the stream is refused: nothing was done for it,
   * so its caller may send it again (RFC 9113 §8.7).
   */
  hold(): void {
    const { stream } = this;
    const share = this.#queue.options.budget.open();
    const { push } = stream;
    const onClose = (): void => this.#queue.remove(this);
    stream.once("close", onClose);
    this.#end = () => {
      stream.off("close", onClose);
      share.close();
      stream.push = push;
    };
    takeCopies(stream, share);
    if (!share.take(bytesPerCall)) refuse(stream);
  }

  letGo(): void {
    this.#end?.();
    this.#end = undefined;
  }
}

function refuse(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

/**
 * Counts the bytes of a body as they come, and keeps copies of them. Nobody reads the body, so it is never longer than the window
 * of the stream; but Node hands on views, and each keeps everything that came in the same read: 64 KiB for one byte.
 */
function takeCopies(stream: ServerHttp2Stream, share: Share): void {
  const push: (piece: Uint8Array | null) => boolean = stream.push.bind(stream);
  stream.push = (piece: Uint8Array | null): boolean => {
    if (piece === null) return push(piece);
    if (share.take(piece.length + bytesPerPiece)) return push(new Uint8Array(piece));
    refuse(stream);
    return false;
  };
}

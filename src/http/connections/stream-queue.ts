import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Budget, Share } from "../bodies/byte-budget.ts";

/** A stream of HTTP/2 with the headers that opened it. */
export interface OpenedStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The flags of the frame that they came in. */
  readonly flags: number;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: string[];
  /** Address of the peer of the connection. */
  readonly remoteAddress: string | undefined;
  /** Lets the next call of the connection begin: this one is answered, or may last forever. Harmless to repeat. */
  giveWay(): void;
}

export interface TurnOptions {
  /** Calls of one connection that are worked on at the same time. */
  readonly maxStreams: number;
  /** The bytes that all calls that wait may hold. */
  readonly budget: Budget;
  /** Serves a call, which then ends with `giveWay`. */
  readonly start: (opened: OpenedStream) => void;
}

/**
 * Returns what takes the streams of a session from its beginning, and starts their calls: in the order in which they came, one
 * turn of the event loop after the read that brought them, so that what is reset in the same read costs no call, and so many
 * of a connection at the same time. The others wait unread. Clients are told a higher number (SETTINGS_MAX_CONCURRENT_STREAMS),
 * because they and the service do not agree on when a stream is closed: were the two numbers the same, nghttp2 would end
 * connections whose clients keep to it.
 */
export function createTurns(options: TurnOptions): (session: ServerHttp2Session) => void {
  let due: Line[] = [];
  const onTurn = (): void => {
    const lines = due;
    due = [];
    for (const line of lines) line.advance();
  };
  const onDue = (line: Line): void => {
    if (due.push(line) === 1) setImmediate(onTurn);
  };
  return (session) => {
    const line = new Line(options, session.socket.remoteAddress, onDue);
    session.on(
      "stream",
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]) => {
        line.append(new Call(line, { stream, headers, flags, rawHeaders }));
      },
    );
  };
}

/** The calls of one connection: those that are worked on, and those that have not begun. */
class Line {
  readonly options: TurnOptions;
  /** Kept, because asking the socket of a session goes through a proxy each time. */
  readonly remoteAddress: string | undefined;
  readonly #onDue: (line: Line) => void;
  #first: Call | undefined;
  #last: Call | undefined;
  #waiting = 0;
  #working = 0;
  #isDue = false;

  constructor(options: TurnOptions, remoteAddress: string | undefined, onDue: (line: Line) => void) {
    this.options = options;
    this.remoteAddress = remoteAddress;
    this.#onDue = onDue;
  }

  append(call: Call): void {
    call.before = this.#last;
    if (this.#last === undefined) this.#first = call;
    else this.#last.after = call;
    this.#last = call;
    this.#waiting++;
    if (this.#waiting + this.#working > this.options.maxStreams) call.hold();
    this.#askForTurn();
  }

  /** Begins as many calls as there is room for. */
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

  remove(call: Call): void {
    this.#waiting--;
    if (call.before === undefined) this.#first = call.after;
    else call.before.after = call.after;
    if (call.after === undefined) this.#last = call.before;
    else call.after.before = call.before;
    // What is taken out points to nothing: once it is old garbage, it would keep the younger ones.
    call.before = undefined;
    call.after = undefined;
    call.letGo();
  }

  /** Gives the place of a call that has begun to the next one. */
  leave(): void {
    this.#working--;
    this.#askForTurn();
  }

  /** Not at once: calls that fail early would hold the loop until the whole line is done. */
  #askForTurn(): void {
    if (this.#isDue || this.#first === undefined || this.#working >= this.options.maxStreams) return;
    this.#isDue = true;
    this.#onDue(this);
  }
}

/** What a call that waits holds at the least: Node's objects for its stream, and headers of the usual limit. */
const bytesPerCall = 16 * 1024;
/** What a piece of a body holds besides its bytes. */
const bytesPerPiece = 256;

/** A member of a line. A class: there is one for each call. */
class Call implements OpenedStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly flags: number;
  readonly rawHeaders: string[];
  before: Call | undefined;
  after: Call | undefined;
  readonly #line: Line;
  #isWorking = false;
  /** Ends the holding. */
  #end: (() => void) | undefined;

  constructor(
    line: Line,
    { stream, headers, flags, rawHeaders }: Omit<OpenedStream, "remoteAddress" | "giveWay">,
  ) {
    this.#line = line;
    this.stream = stream;
    this.headers = headers;
    this.flags = flags;
    this.rawHeaders = rawHeaders;
  }

  get remoteAddress(): string | undefined {
    return this.#line.remoteAddress;
  }

  begin(): void {
    this.#isWorking = true;
    this.#line.options.start(this);
  }

  giveWay(): void {
    if (!this.#isWorking) return;
    this.#isWorking = false;
    this.#line.leave();
  }

  /**
   * Has the call wait, within the budget of all that wait. Beyond it the stream is refused: nothing of it was done, so its
   * caller may send it again (RFC 9113 §8.7).
   */
  hold(): void {
    const { stream } = this;
    const share = this.#line.options.budget.open();
    const { push } = stream;
    const onClose = (): void => this.#line.remove(this);
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
 * Counts what comes of a body, and holds only that. Nobody reads it, so it is as much as the window of the stream at the most;
 * but Node hands on views, and each holds all that came with it in one read of the connection: 64 KiB for one byte.
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

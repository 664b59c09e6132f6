import { type Client, Query, type QueryResult } from "pg";
import type { SqlValue } from "../../base/database.ts";
import { ConnectionLostError, PostgresError, toPostgresError } from "./postgres-error.ts";

/** What is sent: with a name it is prepared once per connection, without one it has no parameters. */
export interface Sendable {
  readonly name?: string;
  readonly text: string;
}

/** What a statement returned. `command` is the first word of its tag, such as `COMMIT`. */
export interface StatementAnswer {
  readonly rows: readonly unknown[];
  readonly count: number;
  readonly command: string;
}

/** Receives the answer or the error; exactly one of the two, exactly once. */
export type OnAnswer = (error: Error | undefined, answer: StatementAnswer) => void;

/**
 * How long an answer may take before the connection is given up: a little longer than any statement may take
 * (`statement_timeout` is 5.2 s).
 */
const maxSilenceMs = 5600;

type StatementResult = Pick<QueryResult, "rows" | "rowCount" | "command">;

interface Corkable {
  cork(): void;
  uncork(): void;
  destroy(): void;
}

/** SQLSTATEs behind which the server closes the connection. */
const endsConnection = /^(?:25P03|57P0[1-5])$/;

const nothing: StatementAnswer = { rows: [], count: 0, command: "" };

/**
 * A connection on which statements are sent without waiting for the answers of earlier ones. All that is sent in one turn
 * of the event loop leaves in one packet, which halves what a statement costs.
 */
export class PostgresConnection {
  /** Set when the connection is lost; nothing can be sent any more. */
  lost: ConnectionLostError | undefined;
  /** Whether it was lost because this process cut it, such as one on which the server did not answer. */
  isCut = false;
  /** Warnings that have arrived: PostgreSQL reports by one that a commit was not replicated. */
  warnings = 0;
  /** Grows with everything that happens on the connection. */
  activity = 0;
  /** The timeline of the server, which grows with each failover. */
  readonly timeline: number;
  readonly #client: Client;
  readonly #stream: Corkable;
  readonly #silence: NodeJS.Timeout;
  #inFlight = 0;
  #isCorked = false;
  #beforeFlush: (() => void)[] = [];
  #waiters: (() => void)[] = [];
  #lossListeners: (() => void)[] = [];

  constructor({ client, timeline }: { readonly client: Client; readonly timeline: number }) {
    this.#client = client;
    this.timeline = timeline;
    // The socket, or the TLS socket around it; the driver has no other name for it.
    this.#stream = (
      client as unknown as { readonly connection: { readonly stream: Corkable } }
    ).connection.stream;
    this.#silence = setTimeout(() => this.#onSilence(), maxSilenceMs).unref();
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => this.#lose(new Error("the server closed it")));
    // The session asks for nothing below a warning. What the server calls it depends on the language of its messages.
    client.on("notice", () => {
      this.warnings += 1;
    });
  }

  /** The number of statements whose answers have not arrived. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Sends a statement behind all others. */
  send(statement: Sendable, values: readonly SqlValue[], onAnswer: OnAnswer): void {
    this.#cork();
    this.activity += 1;
    if (this.#inFlight++ === 0) this.#silence.refresh();
    const onEnd = (error: Error | null | undefined, result: StatementResult) => {
      this.#inFlight -= 1;
      this.activity += 1;
      this.#silence.refresh();
      const refused = error ? toPostgresError(error) : undefined;
      if (refused instanceof PostgresError && endsConnection.test(refused.code)) this.#leave(refused);
      // What was read from a connection that was given up meanwhile does not count.
      const refusal = this.lost ?? refused;
      if (refusal !== undefined) onAnswer(refusal, nothing);
      else onAnswer(undefined, { rows: result.rows, count: result.rowCount ?? 0, command: result.command });
      if (this.#inFlight === 0) for (const wake of this.#waiters.splice(0)) wake();
    };
    const query: Query & { name?: string | undefined } = new Query(
      statement.text,
      values as SqlValue[],
      onEnd,
    );
    query.name = statement.name; // the driver copies an object with a name slowly, property by property
    this.#client.query(query);
  }

  /** Sends a statement and returns its answer. */
  ask(statement: Sendable, values: readonly SqlValue[] = []): Promise<StatementAnswer> {
    return new Promise((resolve, reject) => {
      this.send(statement, values, (error, answer) => {
        if (error === undefined) resolve(answer);
        else reject(error);
      });
    });
  }

  /** Sends a statement whose error, if any, will be met by the next one. */
  tell(text: string): void {
    this.send({ text }, [], ignore);
  }

  /** Calls `listener` just before what was sent in this turn leaves the process. */
  beforeFlush(listener: () => void): void {
    this.#cork();
    this.#beforeFlush.push(listener);
  }

  /** Resolves when no answer is outstanding. */
  async settled(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Calls `listener` when the connection is lost. */
  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener);
  }

  /** Cuts the connection at once. PostgreSQL rolls back what was not committed. */
  destroy(reason: string): void {
    this.isCut ||= this.lost === undefined;
    this.#leave(new Error(reason));
  }

  /** Closes the connection when all answers have arrived. */
  async end(): Promise<void> {
    await this.settled();
    if (this.lost !== undefined) return;
    this.#lose(new Error("it was closed"));
    await this.#client.end();
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      for (const listener of this.#beforeFlush.splice(0)) listener();
      this.#stream.uncork();
    });
  }

  #onSilence(): void {
    const seen = this.activity;
    // If it was this process that stood still, the answers are there, and come before the next turn.
    setImmediate(() => {
      if (this.#inFlight === 0 || this.lost !== undefined) return;
      if (this.activity === seen) this.destroy("the server does not answer");
      else this.#silence.refresh();
    });
  }

  #leave(error: Error): void {
    this.#lose(error);
    this.#stream.destroy();
  }

  #lose(error: Error): void {
    if (this.lost !== undefined) return;
    const known = error instanceof PostgresError ? error : toPostgresError(error);
    this.lost =
      known instanceof PostgresError ? new ConnectionLostError(known.message, { cause: known }) : known;
    clearTimeout(this.#silence);
    for (const listener of this.#lossListeners) listener();
  }
}

function ignore(): void {
  // The next statement of the connection meets the error.
}

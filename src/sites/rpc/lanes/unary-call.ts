import type { Message } from "@bufbuild/protobuf";
import type { Clock } from "../../../kernel/base/clock.ts";
import { arrivalOf, openCallScope } from "../calls/call-scope.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { UnaryMethod } from "../calls/method.ts";

/** A call whose body is still to be read. */
export interface UnaryCall {
  readonly method: UnaryMethod;
  readonly timeoutMs: number | undefined;
  /** Reads and decodes the body. Called once the caller is known. */
  readonly receive: () => Promise<Message>;
}

/** Makes the call. Raises DEADLINE_EXCEEDED when its time is over, and CANCELLED when the caller is gone. */
export async function callUnary(
  clock: Clock,
  exchange: Exchange,
  { method, timeoutMs, receive }: UnaryCall,
): Promise<Message> {
  const { requestId, remoteAddress, verb, path } = exchange;
  const scope = openCallScope(clock, exchange.answering, timeoutMs);
  const header = (name: string) => exchange.header(name);
  const answerHeader = (name: string, value: string) => void (exchange.headers[name] = value);
  const facts = { requestId, remoteAddress, verb, path };
  const arrival = { ...facts, header, answerHeader, ...arrivalOf(scope) };
  try {
    return await scope.bound(method.call(arrival, receive));
  } finally {
    scope.close();
  }
}

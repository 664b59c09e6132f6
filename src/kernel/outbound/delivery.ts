import { sendTraced, type Tracing } from "../base/tracing/tracing.ts";

/** Waits. Passed in, so that tests need not wait. */
export type Sleep = (ms: number) => Promise<void>;

/** Takes messages of a kind. */
export interface Recipient<T> {
  /** Resolves when the message was taken. Rejects with an error that says neither the message nor whom it is for. */
  send(message: T): Promise<void>;
}

/** Why an attempt to hand a message over has failed. */
export interface DeliveryFailure {
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;
  /** What the recipient did, in words that follow its name; without the message, its address and the answer. */
  readonly message: string;
}

/**
 * Makes up to three attempts, until one does not fail. Rejects with an Error that says how the last one has failed, and at once after
 * a failure that lasts.
 */
export async function attempt(
  /** The recipient, for the error message: `the SMS webhook`. */
  name: string,
  sleep: Sleep,
  tryOnce: () => Promise<DeliveryFailure | undefined>,
): Promise<void> {
  for (const pauseMs of [...pausesMs, undefined]) {
    const failure = await tryOnce();
    if (failure === undefined) return;
    if (!failure.isTemporary || pauseMs === undefined) throw new Error(`${name} ${failure.message}`);
    await sleep(pauseMs);
  }
}

/** A POST with several attempts. */
export interface Delivery {
  /** The recipient, for the error message: `the SMS webhook`. */
  readonly name: string;
  readonly url: string;
  readonly body: string;
  /** Called for each attempt. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly sleep: Sleep;
  /** For each attempt. Default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly tracing?: Tracing | undefined;
  /** Extracts from the body of a refusal a text that may be logged. */
  readonly explain?: (body: string) => string;
}

/**
 * Sends the POST up to three times, until the answer is 2xx. Retries when there is no answer, or one with status 429
 * or 5xx. Does not follow redirects. Takes at most 18 seconds.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  await attempt(delivery.name, delivery.sleep, () => post(delivery));
}

/** The pauses between the attempts. */
const pausesMs: readonly number[] = [500, 2000];

const defaultTimeoutMs = 5000;

async function post(delivery: Delivery): Promise<DeliveryFailure | undefined> {
  try {
    const sending = { host: new URL(delivery.url).hostname, method: "POST" };
    const response = await sendTraced(delivery.tracing, sending, async ({ headers, answered }) => {
      const answer = await fetch(delivery.url, {
        method: "POST",
        headers: { ...delivery.headers(), ...headers },
        body: delivery.body,
        redirect: "manual", // 3xx is an answer like other refusals
        signal: AbortSignal.timeout(delivery.timeoutMs ?? defaultTimeoutMs),
      });
      answered(answer.status);
      return answer;
    });
    if (!response.ok) return await toFailure(response, delivery);
    void response.body?.cancel().catch(() => undefined); // delivered, whatever becomes of the rest
    return undefined;
  } catch (error) {
    return { isTemporary: true, message: `gave no answer (${codeOf(error)})` };
  }
}

async function toFailure(response: Response, { explain }: Delivery): Promise<DeliveryFailure> {
  const explanation = explain === undefined ? "" : explain(await response.text());
  if (explain === undefined) void response.body?.cancel().catch(() => undefined);
  return {
    isTemporary: response.status === 429 || response.status >= 500,
    message: `answered with status ${response.status}${explanation}`,
  };
}

/** Returns a word for the error of `fetch`, whose message may contain the URL or the data that was sent. */
function codeOf(error: unknown): string {
  const { name, cause } = error as Error; // fetch rejects with nothing else
  const code = (cause as NodeJS.ErrnoException | undefined)?.code; // the error of the socket, where there is one
  return code ?? name;
}

/** Waits. Handed in, so that tests need not. */
export type Sleep = (ms: number) => Promise<void>;

/** A POST that is tried several times. */
export interface Delivery {
  /** Whom it goes to, for the error: `the SMS webhook`. */
  readonly name: string;
  readonly url: string;
  readonly body: string;
  /** Called for each try. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly sleep: Sleep;
  /** For each try. Default 5000. */
  readonly timeoutMs?: number | undefined;
  /** Returns what the body of a refusal tells that may stand in a log. */
  readonly explain?: (body: string) => string;
}

/**
 * Sends the POST up to three times, until it is answered with 2xx. It is repeated when there was no answer, or one with
 * status 429 or 5xx. Redirects are not followed. Takes 18 seconds at most.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  for (const pauseMs of [...pausesMs, undefined]) {
    const failure = await tryOnce(delivery);
    if (failure === undefined) return;
    if (!failure.isTemporary || pauseMs === undefined) throw new Error(`${delivery.name} ${failure.message}`);
    await delivery.sleep(pauseMs);
  }
}

/** The pauses between the tries. */
const pausesMs: readonly number[] = [500, 2000];

const defaultTimeoutMs = 5000;

interface Failure {
  readonly isTemporary: boolean;
  readonly message: string;
}

async function tryOnce(delivery: Delivery): Promise<Failure | undefined> {
  try {
    const response = await fetch(delivery.url, {
      method: "POST",
      headers: delivery.headers(),
      body: delivery.body,
      redirect: "manual", // 3xx is an answer like other refusals
      signal: AbortSignal.timeout(delivery.timeoutMs ?? defaultTimeoutMs),
    });
    if (!response.ok) return await toFailure(response, delivery);
    void response.body?.cancel().catch(() => undefined); // delivered, whatever becomes of the rest
    return undefined;
  } catch (error) {
    return { isTemporary: true, message: `gave no answer (${codeOf(error)})` };
  }
}

async function toFailure(response: Response, { explain }: Delivery): Promise<Failure> {
  const explanation = explain === undefined ? "" : explain(await response.text());
  if (explain === undefined) void response.body?.cancel().catch(() => undefined);
  return {
    isTemporary: response.status === 429 || response.status >= 500,
    message: `answered with status ${response.status}${explanation}`,
  };
}

/** Returns a word for what `fetch` rejected with; its message may hold the URL or what was sent. */
function codeOf(error: unknown): string {
  const { name, cause } = error as Error; // fetch rejects with nothing else
  const code = (cause as NodeJS.ErrnoException | undefined)?.code; // the error of the socket, where there is one
  return code ?? name;
}

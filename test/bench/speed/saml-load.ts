/** What the generator of requests for pages is asked to send: the same requests over and over, in turn. */
export interface PageLoad {
  readonly url: string;
  readonly inFlight: number;
  readonly seconds: number;
  /** Requests a second, spread evenly; undefined: a request follows each answer. */
  readonly rate?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  /** What each is answered with; anything else is an error. */
  readonly status: number;
}

/** What came of it. */
export type PageAnswer = { readonly count: number } | { readonly error: string };

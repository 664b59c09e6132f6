/**
 * Why a message goes no further: a page with the status 400, before the service provider may be answered. The message of the
 * error says the rule; it holds no value of the request.
 */
export class SamlFault extends Error {
  /** A short fixed word for the log and the metric, such as `signature`. */
  readonly reason: string;
  /** The name of an algorithm that we know but refuse, such as `rsa-sha1`, for the page and the log. */
  readonly algorithm: string | undefined;

  constructor(reason: string, message: string, options: { algorithm?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.algorithm = options.algorithm;
  }
}

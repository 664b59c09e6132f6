import type {
  ProviderAnswer,
  ProviderFetch,
  ProviderRequest,
} from "../../../../src/sites/federation/provider/provider-fetch.ts";

/** A way to providers that only records, and answers what a test says. */
export interface RecordingFetch extends ProviderFetch {
  readonly asked: { readonly url: string; readonly options: ProviderRequest }[];
  /** Answers so from now on. */
  answer(answer: object): void;
}

/** Creates one that answers every request with an empty object. */
export function createRecordingFetch(): RecordingFetch {
  let next: ProviderAnswer = toAnswer({});
  const asked: RecordingFetch["asked"] = [];
  const take = async (url: string, options: ProviderRequest) => {
    asked.push({ url, options });
    return next;
  };
  return {
    asked,
    answer(answer) {
      next = "kind" in answer ? (answer as ProviderAnswer) : toAnswer(answer);
    },
    async get(url, options) {
      const answer = await take(url, options);
      if (answer.kind !== "answered") return { kind: answer.kind, message: "is not there" };
      const { status, bytes } = answer;
      return status === 200 && bytes !== undefined
        ? { kind: "document", bytes }
        : { kind: "refused", message: `answers with status ${status}` };
    },
    getOnce: take,
    post: (url, _fields, options) => take(url, options),
    violationOf: (url) => (url.startsWith("https://") ? undefined : "must be https"),
  };
}

/** Makes the answer of a provider that sends JSON. */
export function toAnswer(body: object, status = 200): ProviderAnswer {
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)));
  return { kind: "answered", status, bytes, contentType: "application/json" };
}

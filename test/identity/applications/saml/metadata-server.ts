import type {
  FetchOptions,
  FetchOutcome,
  MetadataFetcher,
} from "../../../../src/identity/applications/saml/metadata-source.ts";

/** A network of one: answers what it was told to, instead of the guarded fetch. */
export interface MetadataServer extends MetadataFetcher {
  /** What was fetched, in order. */
  readonly requests: { readonly url: string; readonly options: FetchOptions }[];
  /** Answers from now on so; by default nothing can be reached. */
  answer(outcome: FetchOutcome | ((url: string) => Promise<FetchOutcome>)): void;
  /** Lets requests wait from now on; the function that is returned lets them all go on. */
  hold(): () => void;
}

export function createMetadataServer(): MetadataServer {
  const requests: MetadataServer["requests"] = [];
  let next: (url: string) => Promise<FetchOutcome> = async () => unreachable;
  let held: Promise<void> = Promise.resolve();
  return {
    requests,
    answer(outcome) {
      next = typeof outcome === "function" ? outcome : async () => outcome;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    violationOf: () => undefined,
    async get(url, options) {
      requests.push({ url, options });
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(options.signal?.reason);
      options.signal?.addEventListener("abort", onAbort);
      try {
        options.signal?.throwIfAborted();
        await Promise.race([held, aborted]);
        return await next(url);
      } finally {
        options.signal?.removeEventListener("abort", onAbort);
      }
    },
  };
}

/** The server gave this document. */
export function document(xml: string): FetchOutcome {
  return { kind: "document", bytes: bytesOf(xml) };
}

export const unreachable: FetchOutcome = { kind: "unreachable" };

export function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "utf8"));
}

/** Returns metadata of a service provider; `extra` stands in it as a comment. */
export function metadataOf(entityId: string, extra = ""): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"><!-- é${extra} -->
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:AssertionConsumerService index="0" isDefault="true"
      Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.example.com/acs"/>
    <md:AssertionConsumerService index="7"
      Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact" Location="https://sp.example.com/artifact"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

/** What stands in `metadataOf`. */
export const services = [
  {
    binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
    location: "https://sp.example.com/acs",
    index: 0,
    isDefault: true,
  },
  {
    binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact",
    location: "https://sp.example.com/artifact",
    index: 7,
    isDefault: false,
  },
];

/** The result of a request to a provider. */
export type ProviderAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Undefined: it did not come whole within the limits. */
      readonly bytes: Uint8Array | undefined;
      readonly contentType: string | undefined;
    }
  | { readonly kind: "forbidden" | "unreachable" };

/** The limits of a request to a provider, and its headers. */
export interface ProviderRequest {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The result of fetching a document of a provider, after redirects. `refused`: any other status, or no whole body. */
export type ProviderDocument =
  | { readonly kind: "document"; readonly bytes: Uint8Array }
  | { readonly kind: "forbidden" | "refused" | "unreachable"; readonly message: string };

/** The guarded fetch as logins at providers need it: it never rejects because of the remote side. */
export interface ProviderFetch {
  /** Follows redirects: the URL of each must be one that may be fetched from. It sends nothing that is secret. */
  get(url: string, options: ProviderRequest & { readonly maxRedirects: number }): Promise<ProviderDocument>;
  /** Follows no redirect, like `post`. */
  getOnce(url: string, options: ProviderRequest): Promise<ProviderAnswer>;
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    options: ProviderRequest,
  ): Promise<ProviderAnswer>;
  /** Says why the URL as written is forbidden; undefined: it is not. */
  violationOf(url: string): string | undefined;
}

/** Of every request to a provider. */
export const providerLimits = { timeoutMs: 5_000, maxBytes: 262_144 } as const;

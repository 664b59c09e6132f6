/** What comes of a request to a provider. */
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

/** The guarded fetch as logins at providers need it: no redirect is followed, and it never rejects because of the remote side. */
export interface ProviderFetch {
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

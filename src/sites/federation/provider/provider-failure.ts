import type { Logger } from "pino";
import type { IdentityProviderId } from "../../../kernel/base/ids.ts";
import { PageRefusal } from "../../login/page-refusal.ts";

/**
 * Why a login at a provider goes no further. `unavailable`: it does not answer, or not in a form that could be used. `denied`: it
 * has let nobody in. `refused`: the answer is not what was asked for.
 */
export type ProviderFailureKind = "unavailable" | "denied" | "refused";

/** A login at a provider that goes no further. `detail` is for the log, and never holds anything that somebody has sent. */
export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind;
  readonly detail: string;

  constructor(kind: ProviderFailureKind, detail: string) {
    super(`${kind}: ${detail}`);
    this.name = "ProviderFailure";
    this.kind = kind;
    this.detail = detail;
  }
}

/** Turns a failure into the page that the user sees, and logs what the page does not tell. Other errors are thrown as they are. */
export async function withFailurePages<T>(
  about: {
    readonly logger: Logger;
    readonly providerId: IdentityProviderId;
    readonly requestId: string;
  },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const { logger, providerId, requestId } = about;
    const { kind, detail } = error;
    const fields = { identity_provider_id: providerId, request_id: requestId, detail };
    if (kind === "denied") logger.debug(fields, "provider_login.denied");
    else logger.warn(fields, `provider_login.${kind}`);
    throw new PageRefusal(`provider-${kind}`);
  }
}

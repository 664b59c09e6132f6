import type { Logger } from "pino";
import type { InstanceId } from "../kernel/base/ids.ts";
import type { MailDelivery, Mailer } from "../identity/people/emails/mailer.ts";
import type { HashCost } from "../identity/people/passwords/encoded-hash.ts";
import type { Metrics } from "../kernel/http/metrics/metrics.ts";
import type { GuardedFetch } from "../kernel/outbound/guarded-fetch.ts";
import type { Contract } from "../sites/rpc/endpoints/contract.ts";
import type { Proofs } from "./proofs.ts";

/** What the services of an instance are made for. */
export interface ServicesSetup {
  readonly instanceId: InstanceId;
  readonly logger: Logger;
  readonly version: string;
  /** As in the options of the rpc site. */
  readonly isUnaryLaneOff?: boolean | undefined;
  /** As in `AppParts`. */
  readonly isSweepOff?: boolean | undefined;
  /** As in `AppParts`. */
  readonly passwordCost?: HashCost | undefined;
  readonly contract?: Contract | undefined;
  /** As in the options of the sites of OpenID Connect. */
  readonly issuer: () => string | undefined;
}

/** The same, with what features, sites and background share. */
export interface SharedSetup extends ServicesSetup {
  readonly proofs: Proofs;
  readonly mailer: Mailer;
  /** What the mailer sends with. */
  readonly mailDelivery: MailDelivery;
  readonly fetcher: GuardedFetch;
  readonly metrics: Metrics;
}

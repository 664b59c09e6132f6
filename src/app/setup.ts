import type { DescService } from "@bufbuild/protobuf";
import type { Logger } from "pino";
import type { FeatureContext } from "../identity/context.ts";
import type { ServiceImplementation } from "../identity/rpc.ts";
import type { OwnTokens } from "../identity/signing-keys/jwt.ts";
import type { InstanceId } from "../kernel/base/ids.ts";
import type { MailProvider, SmsProvider } from "../kernel/base/message-providers.ts";
import type { Secret } from "../kernel/base/secret.ts";
import type { HookCaller } from "../identity/hooks/calls/hook-caller.ts";
import type { Hooks } from "../identity/hooks/calls/hooks.ts";
import type { Tracing } from "../kernel/base/tracing/tracing.ts";
import type { MailDelivery, Mailer } from "../identity/people/emails/mailer.ts";
import type { HashCost } from "../identity/people/passwords/encoded-hash.ts";
import type { Directories } from "../kernel/base/directory/directory.ts";
import type { Door } from "../kernel/http/door.ts";
import type { Metrics } from "../kernel/http/metrics/metrics.ts";
import type { GuardedFetch } from "../kernel/outbound/guarded-fetch.ts";
import type { Place } from "../kernel/storage/place.ts";
import type { Seat } from "../kernel/storage/seat.ts";
import type { SentCall } from "../identity/access/authentication.ts";
import type { LoginPorts } from "../sites/login/ports.ts";
import type { Contract } from "../sites/rpc/endpoints/contract.ts";
import type { Proofs } from "./proofs.ts";

/** What makes an emulator of a service. */
export interface Emulation {
  readonly place: Place;
  /** Take all messages. */
  readonly messages: { readonly mail: MailProvider; readonly sms: SmsProvider };
  /** What its own service is described by. */
  readonly service: DescService;
  /** Called with the token of the administrator at the start. */
  keepToken(token: Secret): void;
  /** Returns the call as the service takes it: with that token, where the one comes that the emulator was given. */
  withToken(call: SentCall): SentCall;
  createService(parts: EmulatedParts): ServiceImplementation;
}

/** What the service of an emulator works with. */
export interface EmulatedParts {
  readonly context: FeatureContext;
  readonly logger: Logger;
  readonly issuer: () => string | undefined;
  readonly ownTokens: OwnTokens;
  readonly accessTokenSeconds: number;
  readonly hooks: Hooks;
  /** Loads what the login pages work with. */
  readonly loadLoginPorts: () => Promise<LoginPorts>;
  /** Does at once what is done in the background from time to time. */
  readonly work: () => Promise<void>;
}

/** What a process has that serves one port and one place together with others. */
export interface SharedService {
  /** Whether it is the first one: what is to be said once, it says. */
  readonly isFirst: boolean;
  readonly seat: Seat;
  /** Where its connections come from; absent: it listens itself. */
  readonly door?: Door | undefined;
  readonly metrics: {
    tell(read: () => Promise<string>): void;
    join(own: string): Promise<string>;
  };
  /** Gets a function that returns the number of open connections. */
  count(open: () => number): void;
}

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
  readonly wrapFetch?: ((fetcher: GuardedFetch) => GuardedFetch) | undefined;
  /** As in `AppParts`. */
  readonly passwordCost?: HashCost | undefined;
  readonly contract?: Contract | undefined;
  readonly tracing?: Tracing | undefined;
  /** As in the options of the sites of OpenID Connect. */
  readonly issuer: () => string | undefined;
  /** Undefined in any service but an emulator. */
  readonly emulation?: Emulation | undefined;
  /** Undefined in a process that serves alone. */
  readonly shared?: SharedService | undefined;
}

/** The same, with what features, sites and background share. */
export interface SharedSetup extends ServicesSetup {
  readonly proofs: Proofs;
  readonly mailer: Mailer;
  /** What the mailer sends with. */
  readonly mailDelivery: MailDelivery;
  readonly fetcher: GuardedFetch;
  readonly hookCaller: HookCaller;
  readonly hooks: Hooks;
  readonly directories: Directories;
  readonly metrics: Metrics;
}

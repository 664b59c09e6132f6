import { accessGuards } from "./access-guards.ts";
import { claimsGuards } from "./claims-guards.ts";
import { clientGuards } from "./client-guards.ts";
import { codeGuards } from "./code-guards.ts";
import { consoleGuards } from "./console-guards.ts";
import { conditionGuards } from "./condition-guards.ts";
import { conditionalCallGuards } from "./conditional-call-guards.ts";
import { brandingGuards } from "./branding-guards.ts";
import { batchGuards } from "./batch-guards.ts";
import { accountGuards } from "./account-guards.ts";
import { deviceGuards } from "./device-guards.ts";
import { documentGuards } from "./document-guards.ts";
import { dpopGuards } from "./dpop-guards.ts";
import { eventGuards } from "./event-guards.ts";
import { exchangeGuards } from "./exchange-guards.ts";
import { federationGuards } from "./federation-guards.ts";
import { fieldGuards } from "./field-guards.ts";
import { factorGuards } from "./factor-guards.ts";
import { passkeyGuards } from "./passkey-guards.ts";
import { passwordGuards } from "./password-guards.ts";
import { wayInGuards } from "./way-in-guards.ts";
import { gatewayGuards } from "./gateway-guards.ts";
import { signatureGuards } from "./signature-guards.ts";
import { deliveryGuards } from "./delivery-guards.ts";
import { identityGuards } from "./identity-guards.ts";
import { loginFactorGuards } from "./login-factor-guards.ts";
import { laneGuards } from "./lane-guards.ts";
import { lineageGuards } from "./lineage-guards.ts";
import { lifeGuards } from "./life-guards.ts";
import { logoutGuards } from "./logout-guards.ts";
import { consentGuards } from "./consent-guards.ts";
import { loginGuards } from "./login-guards.ts";
import { mailGuards } from "./mail-guards.ts";
import { messageGuards } from "./message-guards.ts";
import { inputGuards } from "./input-guards.ts";
import { postgresGuards } from "./postgres-guards.ts";
import { pushedGuards } from "./pushed-guards.ts";
import { knownClientGuards } from "./known-client-guards.ts";
import { oidcGuards } from "./oidc-guards.ts";
import { samlLoginGuards } from "./saml-login-guards.ts";
import { samlLogoutGuards } from "./saml-logout-guards.ts";
import { samlMessageGuards } from "./saml-message-guards.ts";
import { samlSettingsGuards } from "./saml-settings-guards.ts";
import { samlSignatureGuards } from "./saml-signature-guards.ts";
import { samlKeyGuards } from "./saml-key-guards.ts";
import { sessionGuards } from "./session-guards.ts";
import { storageGuards } from "./storage-guards.ts";
import { storedGuards } from "./stored-guards.ts";
import { tenancyGuards } from "./tenancy-guards.ts";
import { tokenGuards } from "./token-guards.ts";
import { totpGuards } from "./totp-guards.ts";

type Change = readonly [find: string, replacement: string];

/** A guard of the service, how to remove it, and the tests that must turn red then. */
export interface Guard {
  /** What is guarded, for the report. */
  readonly name: string;
  readonly file: string;
  /** A text that is in the file exactly once, and what takes its place. */
  readonly change?: Change;
  /** Several of them. */
  readonly changes?: readonly Change[];
  /** The file of tests. */
  readonly in: string;
  /** A pattern for the names of the tests; absent: all of the file. */
  readonly test?: string;
}

/** All guards. A new one belongs in here, too. */
export const guards: readonly Guard[] = [
  ...accessGuards,
  ...tokenGuards,
  ...totpGuards,
  ...claimsGuards,
  ...clientGuards,
  ...codeGuards,
  ...consoleGuards,
  ...conditionGuards,
  ...conditionalCallGuards,
  ...batchGuards,
  ...brandingGuards,
  ...accountGuards,
  ...deviceGuards,
  ...documentGuards,
  ...dpopGuards,
  ...eventGuards,
  ...exchangeGuards,
  ...factorGuards,
  ...passkeyGuards,
  ...passwordGuards,
  ...wayInGuards,
  ...federationGuards,
  ...fieldGuards,
  ...inputGuards,
  ...gatewayGuards,
  ...laneGuards,
  ...lifeGuards,
  ...lineageGuards,
  ...loginFactorGuards,
  ...deliveryGuards,
  ...identityGuards,
  ...loginGuards,
  ...consentGuards,
  ...logoutGuards,
  ...mailGuards,
  ...messageGuards,
  ...oidcGuards,
  ...knownClientGuards,
  ...pushedGuards,
  ...postgresGuards,
  ...samlLoginGuards,
  ...samlLogoutGuards,
  ...samlMessageGuards,
  ...samlSettingsGuards,
  ...samlSignatureGuards,
  ...samlKeyGuards,
  ...sessionGuards,
  ...signatureGuards,
  ...storageGuards,
  ...storedGuards,
  ...tenancyGuards,
];

import type { Config } from "../config/config.ts";
import { createMetadataRefresh } from "../features/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "../features/applications/saml/metadata-source.ts";
import { createRemovalSweep } from "../features/organizations/removal-sweep.ts";
import { createPeriodicWork } from "../features/periodic-work.ts";
import { createSessionCommands } from "../features/sessions/commands.ts";
import { createSigningKeyCommands } from "../features/signing-keys/commands.ts";
import { createOwnTokens } from "../features/signing-keys/jwt.ts";
import { createSamlKeys } from "../features/signing-keys/saml-keys.ts";
import type { Installation } from "../installation.ts";
import { sweepLogins } from "../login/sweep.ts";
import { createNoticeSender } from "../oidc/back-channel/notice-sender.ts";
import { sweepExpired } from "../oidc/sweep.ts";
import type { SharedSetup } from "./setup.ts";

/** What runs beside the calls, and the commands that it needs. */
export type Background = ReturnType<typeof createBackground>;

/** Creates what runs beside the calls, and the commands that it needs. */
export function createBackground(config: Config, installation: Installation, setup: SharedSetup) {
  const { context, leadership } = installation;
  const { logger, fetcher } = setup;
  const keys = createKeys(installation, setup);
  const { signingKeys, samlKeys, ownTokens } = keys;
  const sessions = createSessionCommands(context);
  const source = createMetadataSource({ fetcher, clock: context.clock, dev: config.dev });
  const refresh = createMetadataRefresh({
    context,
    source,
    leadership,
    timers: { setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) }, // made by the line before
    onError: (error, applicationId) =>
      logger.error({ err: error, application_id: applicationId }, "metadata.refresh_failed"),
  });
  const sweep = createRemovalSweep({
    context,
    leadership,
    onError: (error) => logger.error({ err: error }, "organization.rows_not_swept"),
  });
  const logouts = createNoticeSender({
    ...setup,
    context,
    ownTokens,
    leadership,
    onError: (error) => logger.error({ err: error }, "logout_token.not_sent"),
  });
  const upkeep = createPeriodicWork({
    everyMs: 60_000,
    work: [
      signingKeys.rotateDue,
      samlKeys.removeExpired,
      samlKeys.warnOfEnding,
      sessions.terminateExpired,
      () => sweepExpired(context),
      () => sweepLogins(context),
    ],
    leadership,
    onError: (error) => logger.error({ err: error }, "upkeep.failed"),
  });
  return { ...keys, sessions, source, refresh, sweep, logouts, upkeep };
}

/** Creates the commands of the keys that sign tokens and SAML messages. */
function createKeys({ context }: Installation, { instanceId, logger }: SharedSetup) {
  const signingKeys = createSigningKeyCommands(context, instanceId);
  const samlKeys = createSamlKeys(context, instanceId, {
    onCertificateEnding: ({ keyId, notAfterDate }) =>
      logger.warn({ key_id: keyId, not_after: notAfterDate }, "saml.certificate_ending"),
  });
  return { signingKeys, samlKeys, ownTokens: createOwnTokens(signingKeys) };
}

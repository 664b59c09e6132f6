import type { Config } from "../config/config.ts";
import { deleteOldActiveUsers, deleteOldCounts } from "../identity/activity/repository.ts";
import { removeUnusedClients } from "../identity/external-clients/registration.ts";
import { createMetadataRefresh } from "../identity/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "../identity/applications/saml/metadata-source.ts";
import { deleteAllExpired } from "../identity/delete-expired.ts";
import { createRemovalSweep } from "../identity/organizations/removal-sweep.ts";
import { toId } from "../kernel/base/ids.ts";
import { createOutboxSender, type OutboxSender } from "../identity/outbox-sender.ts";
import { toWebhookBody } from "./webhook-body.ts";
import { isFailing } from "../identity/targets/positions/position.ts";
import { deleteOldDeliveries } from "../identity/targets/positions/position-repository.ts";
import { createTargetDeliveries } from "../identity/targets/deliveries/target-deliveries.ts";
import { accessTables } from "../identity/access/credentials.ts";
import { createDirectoryServers } from "../identity/directories/servers.ts";
import { createPeriodicSync } from "../identity/directories/periodic-sync.ts";
import { DirectoryError } from "../kernel/base/directory/directory-error.ts";
import { createWebhookPort } from "../kernel/outbound/webhook-port.ts";
import { createPeriodicWork } from "../identity/periodic-work.ts";
import { deleteSecurityNotices } from "../identity/security-notices/repository.ts";
import { createSecurityRounds } from "../identity/security-notices/rounds.ts";
import { createSessionCommands } from "../identity/logins/sessions/commands.ts";
import { createSigningKeyCommands } from "../identity/signing-keys/commands.ts";
import { createOwnTokens } from "../identity/signing-keys/jwt.ts";
import { createSamlKeys } from "../identity/signing-keys/saml-keys.ts";
import { defaultMaxPerOrganization } from "../identity/people/emails/mailer.ts";
import type { Installation } from "./installation.ts";
import { accountPathOf } from "../sites/login/standalone/account-path.ts";
import { sweepLogins } from "../sites/login/sweep.ts";
import { createNoticeRounds } from "../sites/oidc/back-channel/notice-rounds.ts";
import { sweepExpired } from "../sites/oidc/sweep.ts";
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
  const logoutRounds = createNoticeRounds({
    ...setup,
    context,
    ownTokens,
    onError: (error) => logger.error({ err: error }, "logout_token.not_sent"),
  });
  const logouts = createOutboxSender(logoutRounds, { ...context, leadership, tables: ["sessions"] });
  const notices = createSecurityNotices(installation, setup);
  const upkeep = createPeriodicWork({
    everyMs: 60_000,
    work: [
      signingKeys.rotateDue,
      samlKeys.removeExpired,
      samlKeys.warnOfEnding,
      sessions.terminateExpired,
      () => sweepExpired(context),
      () => removeUnusedClients(context),
      () => sweepLogins(context),
      () => deleteAllExpired(context, keptForATime),
      ...(notices === undefined ? [() => deleteAllExpired(context, [deleteSecurityNotices])] : []),
    ],
    leadership,
    onError: (error) => logger.error({ err: error }, "upkeep.failed"),
  });
  return {
    ...keys,
    sessions,
    source,
    refresh,
    sweep,
    outboxes: [
      logouts,
      ...(notices === undefined ? [] : [notices]),
      createActivityRounds(installation, setup),
      ...createDirectoryRounds(config, installation, setup),
      createWebhooks(installation, setup),
    ],
    upkeep,
  };
}

/** What is kept beside the log, and for some time only. */
const keptForATime = [deleteOldCounts, deleteOldActiveUsers, deleteOldDeliveries];

/** Creates the commands of the keys that sign tokens and SAML messages. */
function createKeys({ context }: Installation, { instanceId, logger }: SharedSetup) {
  const signingKeys = createSigningKeyCommands(context, instanceId);
  const samlKeys = createSamlKeys(context, instanceId, {
    onCertificateEnding: ({ keyId, notAfterDate }) =>
      logger.warn({ key_id: keyId, not_after: notAfterDate }, "saml.certificate_ending"),
  });
  return { signingKeys, samlKeys, ownTokens: createOwnTokens(signingKeys) };
}

/** Creates what stores the numbers of activity: from time to time, and when the service stops. */
function createActivityRounds({ context, activity }: Installation, { logger }: SharedSetup): OutboxSender {
  const onError = (error: unknown) => logger.error({ err: error }, "activity.not_stored");
  const store = () => activity.store(context);
  const rounds = createPeriodicWork({ everyMs: 10_000, work: [store], onError });
  return {
    start: rounds.start,
    async stop() {
      await rounds.stop();
      await store().catch(onError);
    },
  };
}

/** Creates what makes users follow their directories; nothing in a service that is not to. */
function createDirectoryRounds(
  { limits: { ldapSyncMinutes } }: Config,
  { context, leadership }: Installation,
  { directories, logger }: SharedSetup,
): readonly OutboxSender[] {
  if (ldapSyncMinutes === 0) return [];
  const sync = createPeriodicSync({
    ports: { ...context, servers: createDirectoryServers(directories, context.clock) },
    leadership,
    everyMs: ldapSyncMinutes * 60_000,
    onDone({ id }, { people, linked, changed, leavers, kept, isStopped }) {
      const fields = { idp_id: id, people, linked, changed, leavers, kept };
      if (isStopped) logger.warn(fields, "directory.too_many_leavers");
      else logger.info(fields, "directory.synced");
    },
    onError(error, provider) {
      const fields = { idp_id: provider?.id };
      if (error instanceof DirectoryError)
        logger.warn({ ...fields, detail: error.detail }, "directory.not_synced");
      else logger.error({ ...fields, err: error }, "directory.not_synced");
    },
  });
  return [{ start: sync.start, stop: () => sync.stop() }];
}

/** Creates what delivers events to targets. */
function createWebhooks(
  { context, leadership }: Installation,
  { instanceId, fetcher, logger, metrics }: SharedSetup,
): OutboxSender {
  return createTargetDeliveries({
    context,
    leadership,
    instanceId,
    accessTables,
    random: context.random,
    webhooks: createWebhookPort(fetcher, context.clock),
    toBody: toWebhookBody,
    onAttempt({ targetId, sequence, isDelivered, status, attempts, durationMs }) {
      metrics.observeWebhook({ isDelivered, durationMs });
      if (isDelivered) return;
      const fields = { target_id: targetId, event_sequence: sequence, status, attempts };
      if (isFailing({ attempts })) logger.warn(fields, "webhook.failing");
      else logger.debug(fields, "webhook.not_delivered");
    },
    onError: (error, targetId) => logger.error({ err: error, target_id: targetId }, "webhook.error"),
  });
}

/** Creates what tells users of changes; undefined in a service that sends no mails. */
function createSecurityNotices(
  { context, leadership }: Installation,
  { mailDelivery, issuer, logger }: SharedSetup,
): OutboxSender | undefined {
  const { provider, maxPerOrganization = defaultMaxPerOrganization, onFailure } = mailDelivery;
  if (provider === undefined) return undefined;
  const rounds = createSecurityRounds({
    context,
    provider,
    maxPerOrganization,
    onFailure,
    issuer,
    linkOf: (organizationId) => {
      const known = issuer();
      return known === undefined ? undefined : `${known}${accountPathOf(toId(organizationId))}`;
    },
    onError: (error) => logger.error({ err: error }, "security_notice.not_sent"),
  });
  return createOutboxSender(rounds, { ...context, leadership, tables: ["security_notices"] });
}

import type { Logger } from "pino";
import { createAccessControl } from "./access/access-control.ts";
import type { Clock } from "./base/clock.ts";
import type { InstanceId } from "./base/ids.ts";
import type { SmsProvider } from "./base/sms-provider.ts";
import type { Config, SmsConfig } from "./config/config.ts";
import { createApplicationCommands } from "./features/applications/commands.ts";
import { createMetadataRefresh } from "./features/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "./features/applications/saml/metadata-source.ts";
import { createApplicationService } from "./features/applications/rpc.ts";
import { createEventCommands } from "./features/events/commands.ts";
import { createEventService } from "./features/events/rpc.ts";
import { createAnswerStore } from "./features/idempotency/commands.ts";
import { createIdentityProviderCommands } from "./features/identity-providers/commands.ts";
import { createIdentityProviderService } from "./features/identity-providers/rpc.ts";
import { findInstanceId } from "./features/instance/repository.ts";
import { createMembershipCommands } from "./features/memberships/commands.ts";
import { createMembershipService } from "./features/memberships/rpc.ts";
import { createOrganizationCommands } from "./features/organizations/commands.ts";
import { createRemovalSweep } from "./features/organizations/removal-sweep.ts";
import { createOrganizationService } from "./features/organizations/rpc.ts";
import { createProjectCommands } from "./features/projects/commands.ts";
import { createProjectService } from "./features/projects/rpc.ts";
import { createSigningKeyCommands, type SigningKeyCommands } from "./features/signing-keys/commands.ts";
import { createOwnTokens } from "./features/signing-keys/jwt.ts";
import { createSigningKeyService } from "./features/signing-keys/rpc.ts";
import { createUserGrantCommands } from "./features/user-grants/commands.ts";
import { createUserGrantService } from "./features/user-grants/rpc.ts";
import { createUserServiceCommands } from "./features/users/commands.ts";
import { createUserService } from "./features/users/rpc.ts";
import { createPeriodicWork } from "./features/periodic-work.ts";
import type { ServiceImplementation } from "./features/rpc.ts";
import { createBodyReader } from "./http/bodies/body.ts";
import { createCors } from "./http/cors.ts";
import { createMetrics, type Metrics } from "./http/metrics/metrics.ts";
import { createServer } from "./http/server.ts";
import type { Site } from "./http/site.ts";
import { createStatusPages } from "./http/status-pages.ts";
import type { Installation } from "./installation.ts";
import { createOidcSites } from "./oidc/sites.ts";
import { sweepExpired } from "./oidc/sweep.ts";
import { createGuardedFetch } from "./outbound/guarded-fetch.ts";
import { createSmsOutbox } from "./outbound/sms-outbox.ts";
import { createSmsWebhook } from "./outbound/sms-webhook.ts";
import { createTwilio } from "./outbound/twilio.ts";
import { createBatchService } from "./rpc/calls/batch/service.ts";
import { corsPolicyFor } from "./rpc/cors-policy.ts";
import { type Contract, createContract } from "./rpc/endpoints/contract.ts";
import { createOpenApiPage } from "./rpc/endpoints/openapi/page.ts";
import { routeNotFound } from "./rpc/errors/refusals.ts";
import { refuseCall, renderStatus } from "./rpc/refuse.ts";
import { createRpcSite } from "./rpc/site.ts";
import type { DataFolder } from "./storage/data-folder.ts";
import { BatchService } from "../gen/gatehouse/v1/batch_service_pb.ts";
import { protoComments } from "../gen/comments.ts";

/** What the services of an instance are made for. */
export interface ServicesSetup {
  readonly instanceId: InstanceId;
  readonly logger: Logger;
  readonly version: string;
  /** As in the options of the rpc site. */
  readonly isUnaryLaneOff?: boolean | undefined;
  /** As in `AppParts`. */
  readonly isSweepOff?: boolean | undefined;
  readonly contract?: Contract | undefined;
  /** As in the options of the sites of OpenID Connect. */
  readonly issuer: () => string | undefined;
}

/**
 * Puts an instance together: its features, the sites that serve them behind a server that does not listen yet, and what runs
 * beside them.
 */
export function createServices(config: Config, installation: Installation, setup: ServicesSetup) {
  const { services, signingKeys, ...background } = createFeatures(config, installation, setup);
  const contract = setup.contract ?? createContractOf(services, setup.version);
  const metrics = createMetrics({ waitingWrites: installation.context.database.waitingWrites });
  const server = createServer({
    ...config,
    sites: createSites(config, installation, { ...setup, services, signingKeys, contract, metrics }),
    refuse: refuseCall,
    renderProblem: renderStatus,
    metrics,
    logger: setup.logger,
    random: installation.context.random,
  });
  return { server, contract, ...background };
}

function createContractOf(services: readonly ServiceImplementation[], version: string): Contract {
  const described = [...services.map(({ service }) => service), BatchService];
  return createContract({ services: described, comments: protoComments, version });
}

interface SitesSetup extends Pick<ServicesSetup, "instanceId" | "logger" | "isUnaryLaneOff" | "issuer"> {
  readonly signingKeys: SigningKeyCommands;
  readonly services: readonly ServiceImplementation[];
  readonly contract: Contract;
  readonly metrics: Metrics;
}

/** Creates what the port serves, in the order in which the sites take paths. */
function createSites(
  config: Config,
  { context }: Installation,
  { instanceId, logger, isUnaryLaneOff, issuer, services, signingKeys, contract, metrics }: SitesSetup,
): readonly Site[] {
  const { database, clock } = context;
  const { fieldRules, openApi } = contract;
  const ownTokens = createOwnTokens(signingKeys);
  const accessControl = createAccessControl({ ...context, instanceId, jwts: { ownTokens, issuer } });
  const cors = createCors(corsPolicyFor(config.corsOrigins));
  const bodies = createBodyReader(config.limits);
  const ready = async (): Promise<boolean> => {
    await database.probe();
    return (await database.read(findInstanceId)) !== undefined;
  };
  return [
    createStatusPages({ ...config, ready, metrics, cors, pathUnknown: () => routeNotFound("not-found") }),
    createOpenApiPage(openApi, cors),
    ...createOidcSites({ ...config.limits, context, issuer, signingKeys, ownTokens, bodies, logger }),
    createRpcSite({
      services: [...services, createBatchService({ services, accessControl, fieldRules, database, clock })],
      accessControl,
      answerStore: createAnswerStore(context),
      fieldRules,
      ready,
      clock,
      bodies,
      cors,
      isUnaryLaneOff,
    }),
  ];
}

type FeaturesSetup = Pick<ServicesSetup, "instanceId" | "logger" | "isSweepOff">;

/** Creates the services of all features, and what runs beside them. */
function createFeatures(config: Config, installation: Installation, setup: FeaturesSetup) {
  const { context, leadership } = installation;
  const { instanceId, logger, isSweepOff } = setup;
  const users = createUsers(config, installation, setup);
  const { applications, refresh } = createApplications(config, installation, setup);
  const sweep = createRemovalSweep({
    context,
    leadership,
    onError: (error) => logger.error({ err: error }, "organization.rows_not_swept"),
  });
  const signingKeys = createSigningKeyCommands(context, instanceId);
  const upkeep = createPeriodicWork({
    everyMs: 60_000,
    work: [signingKeys.rotateDue, () => sweepExpired(context)],
    leadership,
    onError: (error) => logger.error({ err: error }, "upkeep.failed"),
  });
  const organizations = createOrganizationCommands(
    { ...context, isSweepOff, onRowsLeft: sweep.wake },
    instanceId,
  );
  const services = [
    createOrganizationService(organizations, context),
    createMembershipService(createMembershipCommands(context, instanceId), context),
    createIdentityProviderService(createIdentityProviderCommands(context), context),
    createUserService(users, context),
    createProjectService(createProjectCommands(context), context),
    createUserGrantService(createUserGrantCommands(context), context),
    createApplicationService(applications, context),
    createEventService(createEventCommands(context, config.limits), context),
    createSigningKeyService(signingKeys, context),
  ];
  return { services, users, applications, refresh, sweep, signingKeys, upkeep };
}

/** Creates the commands of users, with the provider that sends their codes. */
function createUsers(
  config: Config,
  { context, folder }: Installation,
  { instanceId, logger }: FeaturesSetup,
) {
  return createUserServiceCommands(context, {
    instanceId,
    sms: {
      provider: createSmsProvider(config.sms, folder, context.clock),
      maxPerOrganization: config.limits.smsPerOrganization,
      onFailure: ({ userId, requestId, detail }) =>
        logger.warn({ user_id: userId, request_id: requestId, detail }, "sms.not_delivered"),
    },
    relyingParties: {
      list: config.relyingParties,
      allowSubdomains: config.relyingPartySubdomains,
      name: "Gatehouse",
    },
  });
}

/** Creates the commands of applications, and what keeps the metadata of SAML applications fresh. */
function createApplications(
  config: Config,
  { context, leadership }: Installation,
  { logger }: FeaturesSetup,
) {
  const fetcher = createGuardedFetch({ dev: config.dev, allowedHosts: config.fetchAllowedHosts });
  const source = createMetadataSource({ fetcher, clock: context.clock, dev: config.dev });
  const refresh = createMetadataRefresh({
    context,
    source,
    leadership,
    timers: { setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) }, // made by the line before
    onError: (error, applicationId) =>
      logger.error({ err: error, application_id: applicationId }, "metadata.refresh_failed"),
  });
  return { applications: createApplicationCommands(context, source), refresh };
}

function createSmsProvider(config: SmsConfig, folder: DataFolder, clock: Clock): SmsProvider | undefined {
  switch (config.kind) {
    case "none":
      return undefined;
    case "outbox":
      return createSmsOutbox({ file: folder.smsOutbox, clock });
    case "webhook":
      return createSmsWebhook({ ...config, clock });
    case "twilio":
      return createTwilio(config);
  }
}

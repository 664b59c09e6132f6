import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { createAccountSite } from "./account/flow/sites.ts";
import { createAccessControl } from "./access/access-control.ts";
import type { InstanceId } from "./base/ids.ts";
import type { Config } from "./config/config.ts";
import { createApplicationCommands } from "./features/applications/commands.ts";
import { createMetadataRefresh } from "./features/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "./features/applications/saml/metadata-source.ts";
import { createServiceProviderReader } from "./features/applications/saml/service-provider-reader.ts";
import { isOriginOf } from "./features/applications/oidc/repository.ts";
import { createApplicationService } from "./features/applications/rpc.ts";
import { createEventCommands } from "./features/events/commands.ts";
import { createEventService } from "./features/events/rpc.ts";
import { createAnswerStore } from "./features/idempotency/commands.ts";
import { createIdentityProviderCommands } from "./features/identity-providers/commands.ts";
import { createIdentityProviderService } from "./features/identity-providers/rpc.ts";
import { findInstanceId } from "./features/instance/repository.ts";
import { createLoginPolicyCommands } from "./features/login-policies/commands.ts";
import { createLoginPolicyService } from "./features/login-policies/rpc.ts";
import { createMembershipCommands } from "./features/memberships/commands.ts";
import { createMembershipService } from "./features/memberships/rpc.ts";
import { createOrganizationCommands } from "./features/organizations/commands.ts";
import { createRemovalSweep } from "./features/organizations/removal-sweep.ts";
import { createOrganizationService } from "./features/organizations/rpc.ts";
import { createProjectCommands } from "./features/projects/commands.ts";
import { createProjectService } from "./features/projects/rpc.ts";
import { createSessionCommands } from "./features/sessions/commands.ts";
import { createSessionService } from "./features/sessions/rpc.ts";
import { createSigningKeyCommands } from "./features/signing-keys/commands.ts";
import { createOwnTokens } from "./features/signing-keys/jwt.ts";
import { createSigningKeyService } from "./features/signing-keys/rpc.ts";
import { createSamlKeys } from "./features/signing-keys/saml-keys.ts";
import { createUserGrantCommands } from "./features/user-grants/commands.ts";
import { createUserGrantService } from "./features/user-grants/rpc.ts";
import { createMailer, type Mailer } from "./features/users/emails/mailer.ts";
import { createUserServiceCommands } from "./features/users/commands.ts";
import { createUserLogins } from "./features/users/logins.ts";
import type { HashCost } from "./features/users/passwords/encoded-hash.ts";
import { createPasswordHasher } from "./features/users/passwords/hasher.ts";
import { createUserService } from "./features/users/rpc.ts";
import { createPeriodicWork } from "./features/periodic-work.ts";
import type { ServiceImplementation } from "./features/rpc.ts";
import { createFederation } from "./federation/sites.ts";
import { createFrontSites } from "./front/sites.ts";
import { createBodyReader } from "./http/bodies/body.ts";
import { createCors } from "./http/cors.ts";
import { createMetrics, type Metrics } from "./http/metrics/metrics.ts";
import { createServer } from "./http/server.ts";
import type { Site } from "./http/site.ts";
import { createStatusPages } from "./http/status-pages.ts";
import type { Installation } from "./installation.ts";
import { createLoginPages } from "./login/flow/sites.ts";
import { sweepLogins } from "./login/sweep.ts";
import { createNoticeSender } from "./oidc/back-channel/notice-sender.ts";
import { createOidcSites } from "./oidc/sites.ts";
import { createSaml } from "./saml/saml.ts";
import { sweepExpired } from "./oidc/sweep.ts";
import { createGuardedFetch, type GuardedFetch } from "./outbound/guarded-fetch.ts";
import { createMailDelivery, createSmsDelivery } from "./providers.ts";
import { createBatchService } from "./rpc/calls/batch/service.ts";
import { corsPolicyFor } from "./rpc/cors-policy.ts";
import { type Contract, createContract } from "./rpc/endpoints/contract.ts";
import { createOpenApiPage } from "./rpc/endpoints/openapi/page.ts";
import { callRefusals, renderStatus } from "./rpc/refuse.ts";
import { createRpcSite } from "./rpc/site.ts";
import { openBreachedList } from "./storage/breached-passwords.ts";
import { BatchService } from "../gen/gatehouse/v1/batch_service_pb.ts";

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

/**
 * Puts an instance together: its features, the sites that serve them behind a server that does not listen yet, and what runs
 * beside them.
 */
export function createServices(config: Config, installation: Installation, setup: ServicesSetup) {
  const { context, folder } = installation;
  const proofs = createProofs(config, installation, setup);
  const delivery = createMailDelivery(config, { folder, clock: context.clock, logger: setup.logger });
  const shared = {
    proofs,
    mailer: createMailer(context, delivery),
    fetcher: createGuardedFetch({ dev: config.dev, allowedHosts: config.fetchAllowedHosts }),
  };
  const features = createFeatures(config, installation, { ...setup, ...shared });
  const { services, ...background } = features;
  const contract = setup.contract ?? createContractOf(services, setup.version);
  const metrics = createMetrics({ waitingWrites: installation.context.database.waitingWrites });
  const server = createServer({
    ...config,
    sites: createSites(config, installation, { ...setup, ...features, ...shared, contract, metrics }),
    refuse: callRefusals.refuse,
    renderProblem: renderStatus,
    metrics,
    logger: setup.logger,
    random: installation.context.random,
  });
  return { server, contract, mailer: shared.mailer, ...background };
}

function createContractOf(services: readonly ServiceImplementation[], version: string): Contract {
  const described = [...services.map(({ service }) => service), BatchService];
  return createContract({ services: described, version });
}

interface SitesSetup extends ServicesSetup, FeaturesSetup, ReturnType<typeof createFeatures> {
  readonly contract: Contract;
  readonly metrics: Metrics;
}

/** Creates what the port serves, in the order in which the sites take paths. */
function createSites(config: Config, { context, folder }: Installation, setup: SitesSetup): readonly Site[] {
  const { instanceId, logger, isUnaryLaneOff, issuer, proofs, mailer, fetcher, services } = setup;
  const { ownTokens, contract, metrics, users, sessions } = setup;
  const { database, clock } = context;
  const { fieldRules, openApi } = contract;
  const accessControl = createAccessControl({ ...context, instanceId, jwts: { ownTokens, issuer } });
  const cors = createCors(corsPolicyFor(config.corsOrigins));
  const bodies = createBodyReader(config.limits);
  const federation = createFederation({ context, fetcher, logger });
  const userLogins = createUserLogins(context, proofs.relyingParties);
  const { browserLogouts, ...saml } = createSaml({ ...setup, context });
  const pages = createLoginPages({
    context,
    passwords: proofs.hasher,
    breached: proofs.breached,
    mailer,
    ...userLogins,
    bodies,
    logger,
    issuer,
    providers: federation.load,
    protocols: {
      oidc: async () => (await import("./oidc/login/login-protocol.ts")).createOidcLogins(context),
      saml: saml.loadLogins,
      device: async () => (await import("./oidc/login/device-logins.ts")).createDeviceLogins(context),
      account: async () => (await import("./account/account-logins.ts")).accountLogins,
    },
  });
  const { logins } = pages;
  const ready = async (): Promise<boolean> => {
    await database.probe();
    return (await database.read(findInstanceId)) !== undefined;
  };
  const calls = createRpcSite({
    services: [...services, createBatchService({ services, accessControl, fieldRules, database, clock })],
    accessControl,
    answerStore: createAnswerStore(context),
    fieldRules,
    ready,
    clock,
    bodies,
    cors,
    isUnaryLaneOff,
  });
  return [
    createStatusPages({ ...config, ready, metrics, cors, ...callRefusals }),
    createOpenApiPage(openApi, cors),
    ...createOidcSites({ ...setup, ...config.limits, context, bodies, logins, browserLogouts }),
    ...saml.createSites({ issuer, bodies, logins }),
    ...pages.sites,
    ...federation.createSites(pages),
    createAccountSite({ context, issuer, users, sessions, ...userLogins, bodies, logins, browserLogouts }),
    ...createFrontSites({ ...config, folder, issuer, logins, ...callRefusals }, calls),
  ];
}

interface FeaturesSetup extends Pick<ServicesSetup, "instanceId" | "logger" | "isSweepOff" | "issuer"> {
  readonly proofs: ReturnType<typeof createProofs>;
  readonly mailer: Mailer;
  readonly fetcher: GuardedFetch;
}

/** Creates the services of all features, and what runs beside them. */
function createFeatures(config: Config, installation: Installation, setup: FeaturesSetup) {
  const { context, leadership } = installation;
  const { instanceId, logger, isSweepOff, fetcher } = setup;
  const users = createUsers(config, installation, setup);
  const ofApplications = createApplications(config, installation, setup);
  const sweep = createRemovalSweep({
    context,
    leadership,
    onError: (error) => logger.error({ err: error }, "organization.rows_not_swept"),
  });
  const keys = createKeys(installation, setup);
  const { signingKeys, samlKeys, ownTokens } = keys;
  const logouts = createNoticeSender({
    ...setup,
    context,
    ownTokens,
    leadership,
    onError: (error) => logger.error({ err: error }, "logout_token.not_sent"),
  });
  const sessions = createSessionCommands(context);
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
  const ofOrganizations = { ...context, isSweepOff, onRowsLeft: sweep.wake };
  const organizations = createOrganizationCommands(ofOrganizations, instanceId);
  const services = [
    createOrganizationService(organizations, context),
    createMembershipService(createMembershipCommands(context, instanceId), context),
    createIdentityProviderService(createIdentityProviderCommands(context), context),
    createUserService(users, context),
    createProjectService(createProjectCommands(context), context),
    createUserGrantService(createUserGrantCommands(context), context),
    createApplicationService(ofApplications.applications, context, { ...ofApplications, fetcher }),
    createEventService(createEventCommands(context, config.limits), context),
    createSigningKeyService(signingKeys, samlKeys, context),
    createSessionService({ ...sessions, terminateAll: users.refreshTokens.terminateAll }, context),
    createLoginPolicyService(createLoginPolicyCommands(context, instanceId), context),
  ];
  return { services, users, sessions, ...ofApplications, sweep, logouts, ...keys, upkeep };
}

/** Creates the commands of the keys that sign tokens and SAML messages. */
function createKeys({ context }: Installation, { instanceId, logger }: FeaturesSetup) {
  const signingKeys = createSigningKeyCommands(context, instanceId);
  const samlKeys = createSamlKeys(context, instanceId, {
    onCertificateEnding: ({ keyId, notAfterDate }) =>
      logger.warn({ key_id: keyId, not_after: notAfterDate }, "saml.certificate_ending"),
  });
  return { signingKeys, samlKeys, ownTokens: createOwnTokens(signingKeys) };
}

/** Creates the commands of users, with the providers that send their codes. */
function createUsers(
  config: Config,
  { context, folder }: Installation,
  { instanceId, logger, issuer, proofs, mailer }: FeaturesSetup,
) {
  return createUserServiceCommands(context, {
    instanceId,
    ...proofs,
    mailer,
    issuer,
    isOriginOf,
    sms: createSmsDelivery(config, { folder, clock: context.clock, logger }),
  });
}

/** What users prove who they are with, for calls and pages alike: a process has one hasher. */
function createProofs(config: Config, { context }: Installation, { passwordCost }: ServicesSetup) {
  const { breachedPasswords, relyingParties, relyingPartySubdomains: allowSubdomains } = config;
  return {
    hasher: createPasswordHasher({
      parallelism: availableParallelism(),
      maxWaiting: 64,
      random: context.random,
      cost: passwordCost,
    }),
    breached: breachedPasswords === undefined ? undefined : openBreachedList(breachedPasswords),
    relyingParties: { list: relyingParties, allowSubdomains, name: "Gatehouse" },
  };
}

/** Creates the commands of applications, and what keeps the metadata of SAML applications fresh. */
function createApplications(
  config: Config,
  { context, leadership }: Installation,
  { logger, fetcher }: FeaturesSetup,
) {
  const source = createMetadataSource({ fetcher, clock: context.clock, dev: config.dev });
  const refresh = createMetadataRefresh({
    context,
    source,
    leadership,
    timers: { setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) }, // made by the line before
    onError: (error, applicationId) =>
      logger.error({ err: error, application_id: applicationId }, "metadata.refresh_failed"),
  });
  const serviceProviders = createServiceProviderReader({ ...context, dev: config.dev });
  return { applications: createApplicationCommands(context, source), refresh, serviceProviders };
}

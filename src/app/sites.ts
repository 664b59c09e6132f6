import { createAccessControl } from "../identity/access/access-control.ts";
import { createAccountSite } from "../sites/account/flow/sites.ts";
import type { Config } from "../config/config.ts";
import { createAnswerStore } from "../identity/idempotency/commands.ts";
import { findInstanceId } from "../identity/instance/repository.ts";
import { createUserLogins } from "../identity/user-service/logins.ts";
import { createBrands } from "../identity/branding/brands.ts";
import { createFederation } from "../sites/federation/sites.ts";
import { createFrontSites } from "../sites/front/sites.ts";
import { createBodyReader } from "../kernel/http/bodies/body.ts";
import type { FeatureContext } from "../identity/context.ts";
import type { Database } from "../kernel/base/database.ts";
import { createCors } from "../kernel/http/cors.ts";
import type { Metrics } from "../kernel/http/metrics/metrics.ts";
import type { Site } from "../kernel/http/site.ts";
import { createStatusPages } from "../kernel/http/status-pages.ts";
import type { Installation } from "./installation.ts";
import { createLoginPages } from "../sites/login/flow/sites.ts";
import { createOidcSites } from "../sites/oidc/sites.ts";
import { createBatchService } from "../sites/rpc/calls/batch/service.ts";
import { corsPolicyFor } from "../sites/rpc/cors-policy.ts";
import type { Contract } from "../sites/rpc/endpoints/contract.ts";
import { createOpenApiPage } from "../sites/rpc/endpoints/openapi/page.ts";
import { callRefusals } from "../sites/rpc/refuse.ts";
import { createComposedCalls } from "../sites/rpc/calls/composed.ts";
import { createRpcSite } from "../sites/rpc/site.ts";
import { createSaml } from "../sites/saml/saml.ts";
import type { ScimOptions } from "../sites/scim/calls/rpc-calls.ts";
import { createScimSite } from "../sites/scim/sites.ts";
import type { Background } from "./background.ts";
import type { Features } from "./features.ts";
import { createFirstAnswers } from "./first-answers.ts";
import type { SharedSetup } from "./setup.ts";

/** What the sites are made of. */
export interface SitesSetup extends SharedSetup, Background, Features {
  readonly contract: Contract;
  readonly metrics: Metrics;
}

/** Creates what the port serves, in the order in which the sites take paths. */
export function createSites(
  config: Config,
  { context, folder }: Installation,
  setup: SitesSetup,
): readonly Site[] {
  const { instanceId, logger, isUnaryLaneOff, issuer, proofs, mailer, fetcher, services } = setup;
  const { ownTokens, contract, metrics, users, sessions } = setup;
  const { database, clock } = context;
  const { fieldRules, openApi } = contract;
  const accessControl = createAccessControl({ ...context, instanceId, jwts: { ownTokens, issuer } });
  const cors = createCors(corsPolicyFor(config.corsOrigins));
  const bodies = createBodyReader(config.limits);
  const federation = createFederation({ context, fetcher, logger });
  const userLogins = createUserLogins(context, proofs.relyingParties, { mailer, ...users.phones });
  const { browserLogouts, ...saml } = createSaml({ ...setup, context });
  const pages = createLoginPages({
    context,
    brands: createBrands(database),
    passwords: proofs.hasher,
    breached: proofs.breached,
    mailer,
    ...userLogins,
    bodies,
    logger,
    issuer,
    providers: federation.load,
    protocols: { ...protocolsOf(context), saml: saml.loadLogins },
  });
  const { logins } = pages;
  const ready = () => isReady(database);
  const around = { accessControl, answerStore: createAnswerStore(context), fieldRules };
  const calls = createRpcSite({
    ...around,
    services: [...services, createBatchService({ services, accessControl, fieldRules, database, clock })],
    ready,
    clock,
    bodies,
    cors,
    isUnaryLaneOff,
  });
  return [
    createStatusPages({ ...config, ready, metrics, cors, ...callRefusals }),
    createOpenApiPage(openApi, cors),
    ...createOidcSites({
      ...setup,
      ...config.limits,
      context,
      bodies,
      logins,
      browserLogouts,
      readFirstAnswers: createFirstAnswers({ ...around, services }),
    }),
    ...saml.createSites({ issuer, bodies, logins }),
    ...pages.sites,
    ...federation.createSites(pages),
    createScim({ ...context, bodies, issuer }, { ...around, services, database }),
    createAccountSite({ context, issuer, users, sessions, ...userLogins, bodies, logins, browserLogouts }),
    ...createFrontSites({ ...config, folder, issuer, logins, ...callRefusals }, calls),
  ];
}

function createScim(
  options: Omit<ScimOptions, "calls">,
  ofCalls: Parameters<typeof createComposedCalls>[0],
): Site {
  return createScimSite({ ...options, calls: createComposedCalls(ofCalls) });
}

function protocolsOf(context: FeatureContext) {
  return {
    oidc: async () => (await import("../sites/oidc/login/login-protocol.ts")).createOidcLogins(context),
    device: async () => (await import("../sites/oidc/login/device-logins.ts")).createDeviceLogins(context),
    account: async () => (await import("../sites/account/account-logins.ts")).accountLogins,
  };
}

async function isReady(database: Database): Promise<boolean> {
  await database.probe();
  return (await database.read(findInstanceId)) !== undefined;
}

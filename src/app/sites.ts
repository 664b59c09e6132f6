import { type AccessControl, createAccessControl } from "../identity/access/access-control.ts";
import { createAccountSite } from "../sites/account/flow/sites.ts";
import type { Config } from "../config/config.ts";
import { createAnswerStore } from "../identity/idempotency/commands.ts";
import { findInstanceId } from "../identity/instance/repository.ts";
import { createUserLogins } from "../identity/user-service/logins.ts";
import { createBrands } from "../identity/branding/brands.ts";
import { createFederation } from "../sites/federation/sites.ts";
import { createFrontSites } from "../sites/front/sites.ts";
import { type BodyReader, createBodyReader } from "../kernel/http/bodies/body.ts";
import type { FeatureContext } from "../identity/context.ts";
import type { ServiceImplementation } from "../identity/rpc.ts";
import type { Database } from "../kernel/base/database.ts";
import { createCors } from "../kernel/http/cors.ts";
import type { Metrics } from "../kernel/http/metrics/metrics.ts";
import type { Site } from "../kernel/http/site.ts";
import { createStatusPages } from "../kernel/http/status-pages.ts";
import type { Installation } from "./installation.ts";
import { createLoginPages, type LoginPages } from "../sites/login/flow/sites.ts";
import { createOidcSites } from "../sites/oidc/sites.ts";
import { createBatchService } from "../sites/rpc/calls/batch/service.ts";
import { corsPolicyFor } from "../sites/rpc/cors-policy.ts";
import type { Contract } from "../sites/rpc/endpoints/contract.ts";
import { createOpenApiPage } from "../sites/rpc/endpoints/openapi/page.ts";
import { callRefusals } from "../sites/rpc/refuse.ts";
import { createComposedCalls } from "../sites/rpc/calls/composed.ts";
import { trustCallers } from "./tracing/trusted-callers.ts";
import { createRpcSite } from "../sites/rpc/site.ts";
import { createSaml } from "../sites/saml/saml.ts";
import { createScimSite } from "../sites/scim/sites.ts";
import type { Background } from "./background.ts";
import type { Features } from "./features.ts";
import { createFirstAnswers } from "./first-answers.ts";
import type { EmulatedParts, Emulation, SharedSetup } from "./setup.ts";

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
  const { logger, issuer, proofs, mailer, metrics, users, sessions, emulation } = setup;
  const { database } = context;
  const bodies = createBodyReader(config.limits);
  const federation = createFederation({ ...setup, context });
  const userLogins = createUserLogins(context, proofs.relyingParties, { mailer, ...users.phones });
  const { browserLogouts, ...saml } = createSaml({ ...setup, context });
  const pages = createLoginPages({
    context,
    brands: createBrands(database),
    passwords: proofs.hasher,
    breached: proofs.breached,
    mailer,
    hooks: setup.hooks,
    ...userLogins,
    bodies,
    logger,
    issuer,
    providers: federation.load,
    protocols: { ...protocolsOf(context), saml: saml.loadLogins },
  });
  const { logins } = pages;
  const { calls, composed, cors, ready, readFirstAnswers } = createCalls(config, context, {
    ...setup,
    pages,
    bodies,
  });
  const isLocal = config.isLocal && emulation === undefined; // a file has the link of its first administrator
  return [
    createStatusPages({ ...config, ready, metrics, cors, ...callRefusals }),
    createOpenApiPage(setup.contract.openApi, cors),
    ...createOidcSites({
      ...setup,
      ...config.limits,
      context,
      bodies,
      logins,
      browserLogouts,
      readFirstAnswers,
    }),
    ...saml.createSites({ issuer, bodies, logins }),
    ...pages.sites,
    ...federation.createSites(pages),
    createScimSite({ ...context, bodies, issuer, calls: composed }),
    createAccountSite({ context, issuer, users, sessions, ...userLogins, bodies, logins, browserLogouts }),
    ...createFrontSites({ ...config, isLocal, folder, issuer, logins, ...callRefusals }, calls),
  ];
}

/** Creates the site of calls, and what other sites share with it. */
function createCalls(
  config: Config,
  context: FeatureContext,
  setup: SitesSetup & { readonly pages: LoginPages; readonly bodies: BodyReader },
) {
  const { instanceId, issuer, ownTokens, contract, isUnaryLaneOff, bodies, emulation } = setup;
  const { database, clock } = context;
  const { fieldRules } = contract;
  const known = createAccessControl({ ...context, instanceId, jwts: { ownTokens, issuer } });
  const accessControl = trustCallers(withGivenToken(known, emulation), setup.tracing);
  const emulated = {
    ...setup,
    ...config.limits,
    context,
    loadLoginPorts: setup.pages.loadPorts,
    work: setup.upkeep.runNow,
  };
  const services = [...setup.services, ...listEmulated(emulation, emulated)];
  const cors = createCors(corsPolicyFor(emulation === undefined ? config.corsOrigins : "local"));
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
  return {
    calls,
    cors,
    ready,
    composed: createComposedCalls({ ...around, services, database }),
    readFirstAnswers: createFirstAnswers({ ...around, services }),
  };
}

/** Lists the service that only an emulator has. */
function listEmulated(
  emulation: Emulation | undefined,
  parts: EmulatedParts,
): readonly ServiceImplementation[] {
  return emulation === undefined ? [] : [emulation.createService(parts)];
}

/** Lets callers of an emulator use the token that it was given. */
function withGivenToken(accessControl: AccessControl, emulation: Emulation | undefined): AccessControl {
  if (emulation === undefined) return accessControl;
  return { ...accessControl, authenticate: (call) => accessControl.authenticate(emulation.withToken(call)) };
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

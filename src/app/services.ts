import type { Config } from "../config/config.ts";
import { createMailer } from "../identity/people/emails/mailer.ts";
import type { ServiceImplementation } from "../identity/rpc.ts";
import { createHooks } from "../identity/hooks/calls/hooks.ts";
import { createMetrics, type Metrics } from "../kernel/http/metrics/metrics.ts";
import { createServer } from "../kernel/http/server.ts";
import type { Installation } from "./installation.ts";
import type { Tracing } from "../kernel/base/tracing/tracing.ts";
import { createDirectories } from "../kernel/outbound/directory/directories.ts";
import { createGuardedFetch } from "../kernel/outbound/guarded-fetch.ts";
import { createMailDelivery } from "./providers.ts";
import { type Contract, createContract } from "../sites/rpc/endpoints/contract.ts";
import { callRefusals, renderStatus } from "../sites/rpc/refuse.ts";
import { BatchService } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { createBackground } from "./background.ts";
import { createHookCalls } from "./hook-calls.ts";
import { createFeatures } from "./features.ts";
import { createProofs } from "./proofs.ts";
import type { ServicesSetup } from "./setup.ts";
import { createSites } from "./sites.ts";
import { traceCommits } from "./tracing/traced-database.ts";

/**
 * Puts an instance together: its features, the sites that serve them behind a server that does not listen yet, and what runs
 * beside them.
 */
export function createServices(config: Config, opened: Installation, setup: ServicesSetup) {
  const { logger, tracing, emulation, shared } = setup;
  const installation = withTraces(opened, tracing);
  const { context, folder } = installation;
  const messages = emulation?.messages;
  const mailDelivery = createMailDelivery(config, { ...context, folder, logger, tracing, messages });
  const metrics = createSharedMetrics(context, shared);
  const { dev, fetchAllowedHosts: allowedHosts } = config;
  const { wrapFetch = (plain) => plain } = setup;
  const fetcher = wrapFetch(createGuardedFetch({ dev, allowedHosts, tracing }));
  const hookCaller = createHookCalls(context, { ...setup, fetcher, metrics });
  const parts = {
    ...setup,
    metrics,
    proofs: createProofs(config, installation, setup),
    mailer: createMailer(context, { ...mailDelivery, issuer: setup.issuer }),
    mailDelivery,
    fetcher,
    hookCaller,
    hooks: createHooks(context, setup.instanceId, hookCaller),
    directories: createDirectories({
      dev,
      allowedHosts,
      plainTextHosts: config.ldapPlainTextHosts,
    }),
  };
  const background = createBackground(config, installation, parts);
  const features = createFeatures(config, installation, { ...parts, ...background });
  const contract = setup.contract ?? createContractOf(features.services, setup);
  const sites = createSites(config, installation, {
    ...parts,
    ...background,
    ...features,
    contract,
  });
  const server = createServer({
    ...config,
    door: shared?.door,
    isLocalOnly: emulation !== undefined,
    isHttpsOnly: setup.issuer()?.startsWith("https:") === true,
    sites,
    refuse: callRefusals.refuse,
    renderProblem: renderStatus,
    metrics,
    logger,
    random: context.random,
    tracing,
  });
  const hookConnections = { start() {}, stop: async () => hookCaller.close() };
  const outboxes = [...background.outboxes, hookConnections];
  return { server, contract, mailer: parts.mailer, ...features, ...background, outboxes };
}

/** Creates the metrics, which know those of the other processes of the service. */
function createSharedMetrics(
  { database }: Installation["context"],
  shared: ServicesSetup["shared"],
): Metrics {
  const metrics = createMetrics({ waitingWrites: database.waitingWrites, join: shared?.metrics.join });
  shared?.metrics.tell(metrics.ownText);
  shared?.count(() => metrics.open.connections);
  return metrics;
}

function withTraces(installation: Installation, tracing: Tracing | undefined): Installation {
  if (tracing === undefined) return installation;
  const { context } = installation;
  return { ...installation, context: { ...context, database: traceCommits(context.database, tracing) } };
}

function createContractOf(
  services: readonly ServiceImplementation[],
  { version, emulation }: ServicesSetup,
): Contract {
  const described = [...services.map(({ service }) => service), BatchService];
  if (emulation !== undefined) described.push(emulation.service);
  return createContract({ services: described, version });
}

import type { Config } from "../config/config.ts";
import { createActivityCommands } from "../identity/activity/commands.ts";
import { createScratchDatabase } from "../kernel/storage/places/scratch-database.ts";
import { createPast } from "../identity/as-of/past.ts";
import { createActivityService } from "../identity/activity/rpc.ts";
import { createResourceSource } from "../identity/applications/api/resource-source.ts";
import { createApplicationCommands } from "../identity/applications/commands.ts";
import { createExternalClientCommands } from "../identity/applications/external/commands.ts";
import { isOriginOf } from "../identity/applications/oidc/repository.ts";
import { createApplicationService } from "../identity/applications/rpc.ts";
import { createServiceProviderReader } from "../identity/applications/saml/service-provider-reader.ts";
import { createClaimMappingCommands } from "../identity/claim-mappings/commands.ts";
import { createClaimMappingService } from "../identity/claim-mappings/rpc.ts";
import type { FeatureContext } from "../identity/context.ts";
import { createEventCommands } from "../identity/events/commands.ts";
import { createEventService } from "../identity/events/rpc.ts";
import { createExplanationCommands } from "../identity/explanations/commands.ts";
import { createAccessService } from "../identity/explanations/rpc.ts";
import { createGroupServiceCommands } from "../identity/group-service/commands.ts";
import { createGroupService } from "../identity/group-service/rpc.ts";
import { createIdentityProviderCommands } from "../identity/providers/commands.ts";
import { createIdentityProviderService } from "../identity/providers/rpc.ts";
import { createLabelPolicyCommands } from "../identity/branding/commands.ts";
import { createLabelPolicyService } from "../identity/branding/rpc.ts";
import { createLoginPolicyCommands } from "../identity/policies/commands.ts";
import { createLoginPolicyService } from "../identity/policies/rpc.ts";
import { createCustomTextsCommands } from "../identity/texts/commands.ts";
import { createCustomTextService } from "../identity/texts/rpc.ts";
import { createMembershipCommands } from "../identity/memberships/commands.ts";
import { createMembershipService } from "../identity/memberships/rpc.ts";
import { createMetadataCommands } from "../identity/metadata/commands.ts";
import { createMetadataService } from "../identity/metadata/rpc.ts";
import { createHookCommands } from "../identity/hooks/commands.ts";
import { createHookService } from "../identity/hooks/rpc.ts";
import { createTargetCommands } from "../identity/targets/commands.ts";
import { createTargetService } from "../identity/targets/rpc.ts";
import { createOrganizationCommands } from "../identity/organizations/commands.ts";
import { createOrganizationService } from "../identity/organizations/rpc.ts";
import { createProjectCommands } from "../identity/projects/commands.ts";
import { createProjectService } from "../identity/projects/rpc.ts";
import { createSessionService } from "../identity/logins/sessions/rpc.ts";
import { createSigningKeyService } from "../identity/signing-keys/rpc.ts";
import { createUserGrantCommands } from "../identity/user-grants/commands.ts";
import { createSearchCommands } from "../identity/search-everywhere/commands.ts";
import { createSearchService } from "../identity/search-everywhere/rpc.ts";
import { createUserGrantService } from "../identity/user-grants/rpc.ts";
import { loginPartyOf } from "../identity/factors/authenticators/relying-party.ts";
import { createUserServiceCommands } from "../identity/user-service/commands.ts";
import { createUserService } from "../identity/user-service/rpc.ts";
import { createWaysIn } from "../identity/factors/ways-in/commands.ts";
import type { SignInPlace } from "../identity/factors/ways-in/repository.ts";
import type { Installation } from "./installation.ts";
import { createSmsDelivery } from "./providers.ts";
import type { Background } from "./background.ts";
import type { SharedSetup } from "./setup.ts";

/** The services of all features, and the commands that sites use too. */
export type Features = ReturnType<typeof createFeatures>;

/** Creates the services of all features, and the commands that sites use too. */
export function createFeatures(config: Config, installation: Installation, setup: SharedSetup & Background) {
  const {
    instanceId,
    isSweepOff,
    fetcher,
    directories,
    source,
    sweep,
    signingKeys,
    samlKeys,
    sessions,
    hookCaller,
  } = setup;
  const waysIn = createWaysIn(instanceId, () => toSignInPlace(setup));
  const past = createPast({ ...installation.context, scratch: createScratchDatabase() });
  const context: FeatureContext = { ...installation.context, waysIn, past };
  const users = createUsers(config, { ...installation, context }, setup);
  const resources = createResourceSource(setup);
  const applications = createApplicationCommands(context, source, resources);
  const serviceProviders = createServiceProviderReader({ ...context, dev: config.dev });
  const ofOrganizations = { ...context, isSweepOff, onRowsLeft: sweep.wake };
  const organizations = createOrganizationCommands(ofOrganizations, instanceId);
  const services = [
    createOrganizationService(organizations, context),
    createMembershipService(createMembershipCommands(context, instanceId), context),
    createIdentityProviderService(createIdentityProviderCommands(context), context, {
      urls: fetcher,
      directories,
    }),
    createUserService(users, context),
    createProjectService(createProjectCommands(context), context),
    createUserGrantService(createUserGrantCommands(context), context),
    createGroupService(createGroupServiceCommands(context), context),
    createApplicationService(applications, context, {
      serviceProviders,
      fetcher,
      resources,
      externalClients: createExternalClientCommands(context, instanceId),
    }),
    createEventService(createEventCommands(context, config.limits), context),
    createSigningKeyService(signingKeys, samlKeys, context),
    createSessionService({ ...sessions, terminateAll: users.refreshTokens.terminateAll }, context),
    createLoginPolicyService(createLoginPolicyCommands(context, instanceId), context),
    createActivityService(createActivityCommands({ ...context, sendsEmails: sendsEmails(config) })),
    createLabelPolicyService(createLabelPolicyCommands(context, instanceId)),
    createSearchService(createSearchCommands(context)),
    createAccessService(createExplanationCommands(context, instanceId)),
    createCustomTextService(createCustomTextsCommands(context, instanceId)),
    createMetadataService(createMetadataCommands(context), context),
    createTargetService(createTargetCommands(context, instanceId), context, fetcher),
    createHookService(createHookCommands(context, instanceId, hookCaller), context, fetcher),
    createClaimMappingService(createClaimMappingCommands(context)),
  ];
  return { services, users, applications, serviceProviders };
}

/** Says whether emails get to people, and not only to a file. */
function sendsEmails({ mail }: Config): boolean {
  return mail.kind === "smtp" || mail.kind === "webhook";
}

/** What the login pages can do at this moment: the issuer of local mode is known only once the port is open. */
function toSignInPlace({ proofs, issuer, mailer }: SharedSetup): SignInPlace {
  const known = issuer();
  const domain = known === undefined ? undefined : loginPartyOf(proofs.relyingParties, known)?.id;
  return { domain, sendsMail: mailer.isConfigured };
}

/** Creates the commands of users, with the providers that send their codes. */
function createUsers(
  config: Config,
  { context, folder }: Installation,
  { instanceId, logger, tracing, issuer, proofs, mailer, emulation }: SharedSetup,
) {
  return createUserServiceCommands(context, {
    instanceId,
    ...proofs,
    mailer,
    issuer,
    isOriginOf,
    sms: createSmsDelivery(config, { ...context, folder, logger, tracing, messages: emulation?.messages }),
  });
}

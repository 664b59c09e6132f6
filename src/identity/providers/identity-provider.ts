import type { Details } from "../../kernel/base/details.ts";
import type { IdentityProviderId, OrganizationId } from "../../kernel/base/ids.ts";
import { alreadyExists, notFound, Problem, wrongKind } from "../../kernel/base/problem.ts";
import { requireVisible } from "../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { type JwtSource, toJwtSourcePayload } from "./jwt.ts";
import {
  type IdentityProviderConfig,
  isSameKind,
  type KindOfConfig,
  nounOfConfig,
  toConfigPayload,
} from "./kinds.ts";

/** What providers of every kind have. */
export interface IdentityProviderSettings {
  /** Unique in the organization. */
  readonly name: string;
  /** Name of the value of the enum StylingType. */
  readonly stylingType: string;
  /** Whether a user who logs in with it for the first time is registered without confirmation. */
  readonly autoRegister: boolean;
}

/** An external login that users of one organization may use. */
export interface IdentityProvider extends IdentityProviderSettings {
  readonly id: IdentityProviderId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly config: IdentityProviderConfig;
}

/** Decides to add an identity provider, which only the organization can use. Raises FIELD_INVALID for a name with invisible characters. */
export function addIdentityProvider(input: {
  readonly id: IdentityProviderId;
  readonly organizationId: OrganizationId;
  readonly settings: IdentityProviderSettings;
  readonly config: IdentityProviderConfig;
}): NewEvent {
  requireVisible({ name: input.settings.name });
  return {
    type: "identity_provider.added",
    aggregateId: input.id,
    resourceOwner: input.organizationId,
    payload: toPayload(input.settings, input.config),
  };
}

/** Decides to replace everything of a provider but its kind: an event, or none when nothing changes. Raises WRONG_KIND, FIELD_INVALID. */
export function updateIdentityProvider(
  provider: IdentityProvider,
  settings: IdentityProviderSettings,
  config: IdentityProviderConfig,
): readonly NewEvent[] {
  if (!isSameKind(provider.config, config)) throw isNotOfKind(provider, config);
  requireVisible({ name: settings.name }, { name: provider.name });
  const before = toPayload(provider, provider.config);
  const after = toPayload(settings, config);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ type: "identity_provider.changed", ...aggregateOf(provider), payload: after }];
}

/** Decides to deactivate a provider: an event, or none when it is inactive. */
export function deactivateIdentityProvider(provider: IdentityProvider): readonly NewEvent[] {
  if (provider.state === "INACTIVE") return [];
  return [{ type: "identity_provider.deactivated", ...aggregateOf(provider), payload: {} }];
}

/** Decides to reactivate a provider: an event, or none when it is active. */
export function reactivateIdentityProvider(provider: IdentityProvider): readonly NewEvent[] {
  if (provider.state === "ACTIVE") return [];
  return [{ type: "identity_provider.reactivated", ...aggregateOf(provider), payload: {} }];
}

/** Decides to remove a provider, and its client secret with it. */
export function removeIdentityProvider(provider: IdentityProvider): readonly NewEvent[] {
  return [{ type: "identity_provider.removed", ...aggregateOf(provider), payload: {} }];
}

/**
 * Decides to replace the source of the JWT: an event, or none when nothing changes. Raises WRONG_KIND for a provider
 * of another kind.
 */
export function updateJwt(provider: IdentityProvider, source: JwtSource): readonly NewEvent[] {
  const { config } = provider;
  if (config.kind !== "jwt") throw isNotOfKind(provider, { kind: "jwt" });
  const before = toJwtSourcePayload(config);
  const after = toJwtSourcePayload(source);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ type: "identity_provider.jwt.changed", ...aggregateOf(provider), payload: after }];
}

/** Refuses an identity provider that is INACTIVE. Raises IDP_NOT_ACTIVE. */
export function requireActiveProvider(provider: IdentityProvider): IdentityProvider {
  if (provider.state === "ACTIVE") return provider;
  throw new Problem({
    kind: "precondition",
    reason: "IDP_NOT_ACTIVE",
    message: "the identity provider is inactive; reactivate it first",
    metadata: { idp_id: provider.id },
  });
}

/** Returns the problem of an identity provider that does not exist or belongs to another organization. */
export function identityProviderNotFound(id: string): Problem {
  return notFound("identity_provider", id);
}

/** Returns the problem of a name that another identity provider of the organization has. */
export function identityProviderNameTaken(name: string): Problem {
  return alreadyExists("identity_provider", name);
}

function isNotOfKind({ id }: IdentityProvider, asked: KindOfConfig): Problem {
  return wrongKind(`the identity provider is not ${nounOfConfig(asked)}; name one that is`, {
    type: "identity_provider",
    name: id,
  });
}

function toPayload(settings: IdentityProviderSettings, config: IdentityProviderConfig) {
  return {
    name: settings.name,
    styling_type: settings.stylingType,
    auto_register: settings.autoRegister,
    ...toConfigPayload(config),
  };
}

function aggregateOf({ id, details }: IdentityProvider) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

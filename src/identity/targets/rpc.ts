import { DeliveryFailure, DeliveryState, TargetState } from "../../../gen/gatehouse/v1/target_pb.ts";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { type FieldViolation, urlForbidden } from "../../kernel/base/problem.ts";
import { Secret } from "../../kernel/base/secret.ts";
import { urlViolation } from "../../kernel/base/url.ts";
import type { FeatureContext } from "../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toTimestamp,
  toTimestampOfMs,
} from "../messages.ts";
import { checkSigningSecret } from "../signing-secrets/signing-secret.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs } from "../rpc.ts";
import type { TargetCommands } from "./commands.ts";
import type { SeenTarget } from "./reads.ts";
import type { TargetDelivery } from "./positions/position.ts";
import { checkEventTypes } from "./target/target.ts";

/** The guarded fetch as this feature needs it. */
interface UrlRules {
  /** Says why the URL is forbidden as it is written, or returns undefined. Connects to nothing. */
  violationOf(url: string): string | undefined;
}

/** Maps the messages of TargetService to commands. */
export function createTargetService(
  commands: TargetCommands,
  context: FeatureContext,
  urlRules: UrlRules,
): ServiceImplementation {
  return implementService(TargetService, {
    addTarget: {
      check: checkSettings,
      run: async (call, request) => {
        requireFetchable(urlRules, request.url);
        const of = { isOfInstance: request.instance, secret: toSecret(request) };
        const { id, details, secret } = await commands.add(call, toSettings(request), of);
        return { targetId: id, details: toObjectDetails(details), signingSecret: secret.reveal() };
      },
    },
    getTarget: {
      run: async (call, { targetId }) => ({ target: toMessage(await commands.get(call, targetId)) }),
    },
    listTargets: {
      run: async (call, request) => {
        const asked = { name: request.name, isOfInstance: request.instance };
        const listed = await commands.list(call, asked, toPageRequest(request));
        return { ...toListAnswer(listed, context), targets: listed.page.items.map(toMessage) };
      },
    },
    updateTarget: {
      check: checkSettings,
      run: async (call, request) => {
        requireFetchable(urlRules, request.url);
        const to = { settings: toSettings(request), secret: toSecret(request) };
        return toDetailsAnswer(await commands.update(call, request.targetId, to));
      },
    },
    deactivateTarget: {
      run: async (call, { targetId }) => toDetailsAnswer(await commands.deactivate(call, targetId)),
    },
    reactivateTarget: {
      run: async (call, { targetId }) => toDetailsAnswer(await commands.reactivate(call, targetId)),
    },
    removeTarget: {
      run: async (call, { targetId }) => toRemovalAnswer(await commands.remove(call, targetId)),
    },
    ...secretsAndDeliveries(commands, context),
  });
}

/** Maps those of what belongs to a target. */
function secretsAndDeliveries(
  commands: TargetCommands,
  context: FeatureContext,
): Pick<
  ServiceRpcs<typeof TargetService>,
  "addTargetSecret" | "removeTargetSecret" | "redeliver" | "listDeliveries"
> {
  return {
    addTargetSecret: {
      check: ({ signingSecret }) => checkSigningSecret(signingSecret),
      run: async (call, request) => {
        const { id, details, secret } = await commands.addSecret(call, request.targetId, toSecret(request));
        return { secretId: id, details: toObjectDetails(details), signingSecret: secret.reveal() };
      },
    },
    removeTargetSecret: {
      run: async (call, { targetId, secretId }) =>
        toRemovalAnswer(await commands.removeSecret(call, targetId, secretId)),
    },
    redeliver: {
      run: async (call, { targetId, fromSequence }) =>
        toDetailsAnswer(await commands.redeliver(call, targetId, toPosition(fromSequence))),
    },
    listDeliveries: {
      run: async (call, request) => {
        const listed = await commands.listDeliveries(call, request.targetId, toPageRequest(request));
        return { ...toListAnswer(listed, context), deliveries: listed.page.items.map(toDeliveryMessage) };
      },
    },
  };
}

interface SettingFields {
  readonly name: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
}

interface SecretField {
  readonly signingSecret: string;
}

/** Leaves an empty or too long text to the rule of the proto, which already reports it. */
function checkSettings({
  url,
  eventTypes,
  signingSecret,
}: SettingFields & SecretField): readonly FieldViolation[] {
  const description = url === "" ? undefined : urlViolation(url, { allowQuery: true });
  return [
    ...(description === undefined ? [] : [{ field: "url", description }]),
    ...checkEventTypes(eventTypes),
    ...checkSigningSecret(signingSecret),
  ];
}

/** Refuses a URL that the service never connects to. Raises URL_FORBIDDEN. */
function requireFetchable(urlRules: UrlRules, url: string): void {
  const violation = urlRules.violationOf(url);
  if (violation !== undefined) throw urlForbidden("url", violation);
}

function toSettings({ name, url, eventTypes }: SettingFields): SettingFields {
  return { name, url, eventTypes: [...new Set(eventTypes)] };
}

function toSecret({ signingSecret }: SecretField): Secret | undefined {
  return signingSecret === "" ? undefined : new Secret(signingSecret);
}

function toMessage({ position, secrets, ...target }: SeenTarget) {
  return {
    id: target.id,
    details: toObjectDetails(target.details),
    state: TargetState[target.state],
    name: target.name,
    url: target.url,
    eventTypes: [...target.eventTypes],
    signingSecrets: secrets.map(({ id, creationDate }) => ({ id, creationDate: toTimestamp(creationDate) })),
    position: BigInt(position?.sequence ?? target.details.creationDate),
    attempts: position?.attempts ?? 0,
    ...((position?.attempts ?? 0) === 0
      ? {}
      : { nextAttemptDate: toTimestampOfMs(position?.nextAttemptMs ?? 0) }),
  };
}

function toDeliveryMessage(delivery: TargetDelivery) {
  const { failure } = delivery;
  return {
    eventSequence: BigInt(delivery.sequence),
    eventType: delivery.eventType,
    state: failure === undefined ? DeliveryState.DELIVERED : DeliveryState.FAILED,
    failure: failure === undefined ? DeliveryFailure.UNSPECIFIED : DeliveryFailure[failure],
    status: delivery.status,
    attempts: delivery.attempts,
    firstAttemptDate: toTimestampOfMs(delivery.firstAttemptMs),
    lastAttemptDate: toTimestampOfMs(delivery.lastAttemptMs),
    durationMs: delivery.durationMs,
  };
}

/** No sequence is beyond 2^53. */
function toPosition(sequence: bigint): number {
  return Number(sequence > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : sequence);
}

import { HookFailure, HookKind, HookState, HookVerdict } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { type FieldViolation, urlForbidden } from "../../kernel/base/problem.ts";
import { Secret } from "../../kernel/base/secret.ts";
import { urlViolation } from "../../kernel/base/url.ts";
import { toApplicationName } from "../applications/application/rpc.ts";
import type { FeatureContext } from "../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toTimestamp,
  valueName,
} from "../messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs } from "../rpc.ts";
import { checkSigningSecret } from "../signing-secrets/signing-secret.ts";
import type { HookCommands, TrialRun } from "./commands.ts";
import { describeAdditions } from "./calls/hook-answer.ts";
import { checkHookClaim, defaultTimeoutMs, type Hook, type HookSettings } from "./hook/hook.ts";

/** The guarded fetch as this feature needs it. */
interface UrlRules {
  /** Says why the URL is forbidden as it is written, or returns undefined. Connects to nothing. */
  violationOf(url: string): string | undefined;
}

/** Maps the messages of HookService to commands. */
export function createHookService(
  commands: HookCommands,
  context: FeatureContext,
  urlRules: UrlRules,
): ServiceImplementation {
  return implementService(HookService, {
    addHook: {
      check: checkSettings,
      run: async (call, request) => {
        requireFetchable(urlRules, request.url);
        const kind = valueName(HookKind, request.kind) ?? "BEFORE_TOKEN"; // the proto refuses all others
        const of = { kind, isOfInstance: request.instance, secret: toSecret(request) };
        const { id, details, secret } = await commands.add(call, toSettings(request), of);
        return { hookId: id, details: toObjectDetails(details), signingSecret: secret.reveal() };
      },
    },
    getHook: {
      run: async (call, { hookId }) => ({ hook: toMessage(await commands.get(call, hookId)) }),
    },
    listHooks: {
      run: async (call, request) => {
        const asked = { name: request.name, isOfInstance: request.instance };
        const listed = await commands.list(call, asked, toPageRequest(request));
        return { ...toListAnswer(listed, context), hooks: listed.page.items.map(toMessage) };
      },
    },
    updateHook: {
      check: checkSettings,
      run: async (call, request) => {
        requireFetchable(urlRules, request.url);
        const to = { settings: toSettings(request), secret: toSecret(request) };
        return toDetailsAnswer(await commands.update(call, request.hookId, to));
      },
    },
    deactivateHook: {
      run: async (call, { hookId }) => toDetailsAnswer(await commands.deactivate(call, hookId)),
    },
    reactivateHook: {
      run: async (call, { hookId }) => toDetailsAnswer(await commands.reactivate(call, hookId)),
    },
    removeHook: {
      run: async (call, { hookId }) => toRemovalAnswer(await commands.remove(call, hookId)),
    },
    trialRunHook: {
      run: async (call, { hookId }) => toTrialAnswer(await commands.tryOut(call, hookId)),
    },
    ...secretsAndClaims(commands),
  });
}

/** Maps those of secrets, and of the claim of an application. */
function secretsAndClaims(
  commands: HookCommands,
): Pick<
  ServiceRpcs<typeof HookService>,
  "addHookSecret" | "removeHookSecret" | "setHookClaim" | "getHookClaim"
> {
  return {
    addHookSecret: {
      check: ({ signingSecret }) => checkSigningSecret(signingSecret),
      run: async (call, request) => {
        const { id, details, secret } = await commands.addSecret(call, request.hookId, toSecret(request));
        return { secretId: id, details: toObjectDetails(details), signingSecret: secret.reveal() };
      },
    },
    removeHookSecret: {
      run: async (call, { hookId, secretId }) =>
        toRemovalAnswer(await commands.removeSecret(call, hookId, secretId)),
    },
    setHookClaim: {
      check: ({ claim }) => checkHookClaim(claim),
      run: async (call, request) =>
        toDetailsAnswer(await commands.setClaim(call, toApplicationName(request), request.claim)),
    },
    getHookClaim: {
      run: async (call, request) => {
        const { details, claim } = await commands.getClaim(call, toApplicationName(request));
        return { hookClaim: { details: toObjectDetails(details), claim } };
      },
    },
  };
}

interface SettingFields {
  readonly name: string;
  readonly url: string;
  readonly timeoutMs: number;
  readonly failClosed: boolean;
  readonly metadataKeys: readonly string[];
}

interface SecretField {
  readonly signingSecret: string;
}

/** Leaves an empty or too long text to the rule of the proto, which already reports it. */
function checkSettings({ url, signingSecret }: SettingFields & SecretField): readonly FieldViolation[] {
  const description = url === "" ? undefined : urlViolation(url, { allowQuery: true });
  return [
    ...(description === undefined ? [] : [{ field: "url", description }]),
    ...checkSigningSecret(signingSecret),
  ];
}

/** Refuses a URL that the service never connects to. Raises URL_FORBIDDEN. */
function requireFetchable(urlRules: UrlRules, url: string): void {
  const violation = urlRules.violationOf(url);
  if (violation !== undefined) throw urlForbidden("url", violation);
}

function toSettings({ name, url, timeoutMs, failClosed, metadataKeys }: SettingFields): HookSettings {
  return {
    name,
    url,
    timeoutMs: timeoutMs === 0 ? defaultTimeoutMs : timeoutMs,
    failClosed,
    metadataKeys,
  };
}

function toSecret({ signingSecret }: SecretField): Secret | undefined {
  return signingSecret === "" ? undefined : new Secret(signingSecret);
}

function toMessage(hook: Hook) {
  const { id, name, url, timeoutMs, failClosed, metadataKeys } = hook;
  return {
    id,
    details: toObjectDetails(hook.details),
    state: HookState[hook.state],
    name,
    kind: HookKind[hook.kind],
    url,
    timeoutMs,
    failClosed,
    metadataKeys: [...metadataKeys],
    signingSecrets: hook.secrets.map((secret) => ({
      id: secret.id,
      creationDate: toTimestamp(secret.creationDate),
    })),
  };
}

function toTrialAnswer({ outcome, status, durationMs }: TrialRun) {
  const measured = { status, durationMs: Math.round(durationMs), message: "", additions: "" };
  switch (outcome.kind) {
    case "allowed": {
      const additions = describeAdditions(outcome.additions);
      return { ...measured, verdict: HookVerdict.ALLOWED, failure: HookFailure.UNSPECIFIED, additions };
    }
    case "refused":
      return {
        ...measured,
        verdict: HookVerdict.REFUSED,
        failure: HookFailure.UNSPECIFIED,
        message: outcome.message,
      };
    case "failed":
      return { ...measured, verdict: HookVerdict.FAILED, failure: HookFailure[outcome.failure] };
  }
}

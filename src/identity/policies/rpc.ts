import { IdentityProviderState } from "../../../gen/gatehouse/v1/identity_provider_pb.ts";
import { IdpLinking, LoginNameKind } from "../../../gen/gatehouse/v1/login_policy_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { SecondFactorType } from "../../../gen/gatehouse/v1/second_factor_pb.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  valueName,
} from "../messages.ts";
import { implementService, type ServiceImplementation, toForcedCall } from "../rpc.ts";
import type { FeatureContext } from "../context.ts";
import type { LoginPolicyCommands, PolicyInForce } from "./commands.ts";
import type { OfferedProvider } from "./offered-provider.ts";
import { checkLoginPolicy, type LoginPolicyUpdate } from "./login-policy.ts";

/** Maps the messages of LoginPolicyService to commands. */
export function createLoginPolicyService(
  commands: LoginPolicyCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(LoginPolicyService, {
    getLoginPolicy: {
      run: async (call) => ({ policy: toPolicyMessage(await commands.get(call, "organization")) }),
    },
    updateLoginPolicy: {
      check: checkLoginPolicy,
      run: async (call, request) =>
        toDetailsAnswer(
          await commands.update(toForcedCall(call, request), "organization", toUpdate(request)),
        ),
    },
    resetLoginPolicy: {
      run: async (call) => toRemovalAnswer(await commands.reset(call)),
    },
    addIdpToLoginPolicy: {
      run: async (call, { idpId }) => toDetailsAnswer(await commands.providers.add(call, idpId)),
    },
    removeIdpFromLoginPolicy: {
      run: async (call, request) =>
        toRemovalAnswer(await commands.providers.remove(toForcedCall(call, request), request.idpId)),
    },
    listLoginPolicyIdps: {
      run: async (call, request) => {
        const listed = await commands.providers.list(call, toPageRequest(request));
        return { ...toListAnswer(listed, context), idps: listed.page.items.map(toProviderMessage) };
      },
    },
    getDefaultLoginPolicy: {
      run: async (call) => ({ policy: toPolicyMessage(await commands.get(call, "instance")) }),
    },
    updateDefaultLoginPolicy: {
      check: checkLoginPolicy,
      run: async (call, request) =>
        toDetailsAnswer(await commands.update(toForcedCall(call, request), "instance", toUpdate(request))),
    },
  });
}

function toUpdate(
  request: Omit<
    LoginPolicyUpdate,
    "secondFactors" | "linkByVerifiedEmail" | "notifySecurityChanges" | "loginNames"
  > & {
    readonly notifySecurityChanges?: boolean;
    readonly secondFactors: readonly SecondFactorType[];
    readonly linkByVerifiedEmail: IdpLinking;
    readonly loginNames: readonly LoginNameKind[];
  },
): LoginPolicyUpdate {
  return {
    ...request,
    notifySecurityChanges: request.notifySecurityChanges ?? true,
    linkByVerifiedEmail: request.linkByVerifiedEmail === IdpLinking.NEVER ? "NEVER" : "ASK",
    secondFactors: request.secondFactors.flatMap((type) => valueName(SecondFactorType, type) ?? []),
    loginNames: request.loginNames.flatMap((kind) => valueName(LoginNameKind, kind) ?? []),
  };
}

function toPolicyMessage({ policy, details, isDefault }: PolicyInForce) {
  return {
    ...(details === undefined ? {} : { details: toObjectDetails(details) }),
    isDefault,
    allowPassword: policy.allowPassword,
    allowExternalIdps: policy.allowExternalIdps,
    allowPasskeys: policy.allowPasskeys,
    allowRegistration: policy.allowRegistration,
    forceMfa: policy.forceMfa,
    forceMfaLocalOnly: policy.forceMfaLocalOnly,
    minPasswordLength: policy.minPasswordLength,
    maxPasswordAttempts: policy.maxPasswordAttempts,
    sessionIdleSeconds: policy.sessionIdleSeconds,
    sessionLifetimeSeconds: policy.sessionLifetimeSeconds,
    secondFactors: policy.secondFactors.map((kind) => SecondFactorType[kind]),
    linkByVerifiedEmail: IdpLinking[policy.linkByVerifiedEmail],
    notifySecurityChanges: policy.notifySecurityChanges,
    loginNames: policy.loginNames.map((kind) => LoginNameKind[kind]),
  };
}

function toProviderMessage(provider: OfferedProvider) {
  return {
    idpId: provider.id,
    idpName: provider.name,
    state: IdentityProviderState[provider.state],
    details: toObjectDetails(provider.details),
  };
}

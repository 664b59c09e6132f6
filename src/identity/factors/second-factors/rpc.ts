import { checkVisible } from "../../../kernel/base/names/visible-name.ts";
import { SecondFactorState, SecondFactorType } from "../../../../gen/gatehouse/v1/second_factor_pb.ts";
import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { checkCredentialSize } from "../../../kernel/webauthn/credential-size.ts";
import type { FeatureContext } from "../../context.ts";
import {
  toJsonObject,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toVerificationDetails,
} from "../../messages.ts";
import { type ServiceRpcs, toForcedCall } from "../../rpc.ts";
import type { U2fCommands } from "./commands.ts";
import type { SecondFactor } from "./u2f.ts";

/** Maps the messages about second factors to commands. */
export function createSecondFactorRpcs(
  commands: U2fCommands,
  context: FeatureContext,
): Pick<ServiceRpcs<typeof UserService>, "registerU2f" | "verifyU2f" | "listSecondFactors" | "removeU2f"> {
  return {
    registerU2f: {
      run: async (call, request) => {
        const { id, details, options } = await commands.register(call, request);
        return {
          u2fId: id,
          details: toObjectDetails(details),
          publicKeyCredentialCreationOptions: toJsonObject(options),
        };
      },
    },
    verifyU2f: {
      check: (request) => [
        ...checkCredentialSize(request.publicKeyCredential),
        ...checkVisible({ token_name: request.tokenName }),
      ],
      run: async (call, request) => {
        const details = await commands.verify(call, {
          userId: request.userId,
          u2fId: request.u2fId,
          credential: request.publicKeyCredential,
          name: request.tokenName,
        });
        return { details: toVerificationDetails(details) };
      },
    },
    listSecondFactors: {
      run: async (call, request) => {
        const listed = await commands.list(call, request.userId, toPageRequest(request));
        return {
          ...toListAnswer(listed, context),
          secondFactors: listed.page.items.map(toSecondFactorMessage),
        };
      },
    },
    removeU2f: {
      run: async (call, request) =>
        toRemovalAnswer(await commands.remove(toForcedCall(call, request), request)),
    },
  };
}

function toSecondFactorMessage(factor: SecondFactor) {
  return {
    id: factor.id,
    details: toObjectDetails(factor.details),
    state: SecondFactorState[factor.state],
    name: factor.name,
    domain: factor.domain,
    type: SecondFactorType[factor.type],
  };
}

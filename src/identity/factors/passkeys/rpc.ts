import { checkVisible } from "../../../kernel/base/names/visible-name.ts";
import { PasskeyState } from "../../../../gen/gatehouse/v1/passkey_pb.ts";
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
import type { PasskeyCommands } from "./commands.ts";
import type { Passkey } from "./passkey.ts";

/** Maps the messages about passkeys to commands. */
export function createPasskeyRpcs(
  commands: PasskeyCommands,
  context: FeatureContext,
): Pick<
  ServiceRpcs<typeof UserService>,
  "registerPasskey" | "verifyPasskey" | "listPasskeys" | "removePasskey"
> {
  return {
    registerPasskey: {
      run: async (call, request) => {
        const { id, details, options } = await commands.register(call, request);
        return {
          passkeyId: id,
          details: toObjectDetails(details),
          publicKeyCredentialCreationOptions: toJsonObject(options),
        };
      },
    },
    verifyPasskey: {
      check: (request) => [
        ...checkCredentialSize(request.publicKeyCredential),
        ...checkVisible({ passkey_name: request.passkeyName }),
      ],
      run: async (call, request) => {
        const details = await commands.verify(call, {
          userId: request.userId,
          id: request.passkeyId,
          credential: request.publicKeyCredential,
          name: request.passkeyName,
        });
        return { details: toVerificationDetails(details) };
      },
    },
    listPasskeys: {
      run: async (call, request) => {
        const listed = await commands.list(call, request.userId, toPageRequest(request));
        return { ...toListAnswer(listed, context), passkeys: listed.page.items.map(toPasskeyMessage) };
      },
    },
    removePasskey: {
      run: async (call, { userId, passkeyId: id, force }) =>
        toRemovalAnswer(await commands.remove(toForcedCall(call, { force }), { userId, id })),
    },
  };
}

function toPasskeyMessage(passkey: Passkey) {
  return { ...passkey, details: toObjectDetails(passkey.details), state: PasskeyState[passkey.state] };
}

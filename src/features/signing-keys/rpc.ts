import { SigningAlgorithm, SigningKeyState } from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { toDetailsAnswer, toListAnswer, toObjectDetails, toPageRequest, toTimestamp } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { SigningKeyCommands } from "./commands.ts";
import type { SigningKey } from "./signing-key.ts";

/** Maps the messages of SigningKeyService to commands. */
export function createSigningKeyService(
  commands: SigningKeyCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(SigningKeyService, {
    listSigningKeys: {
      run: async (call, request) => {
        const listed = await commands.list(call, toPageRequest(request));
        return { ...toListAnswer(listed, context), signingKeys: listed.page.items.map(toSigningKeyMessage) };
      },
    },
    rotateSigningKeys: {
      run: async (call, request) => toDetailsAnswer(await commands.rotate(call, request)),
    },
  });
}

function toSigningKeyMessage({ id, details, algorithm, state, expirationMs }: SigningKey) {
  return {
    id,
    details: toObjectDetails(details),
    algorithm: SigningAlgorithm[algorithm],
    state: SigningKeyState[state],
    ...(expirationMs === undefined ? {} : { expirationDate: toTimestamp(expirationMs * 1000) }),
  };
}

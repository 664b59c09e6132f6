import {
  SigningAlgorithm,
  SigningKeyState,
  SigningKeyUse,
} from "../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toTimestampOfMs,
} from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { SigningKeyCommands } from "./commands.ts";
import type { ListedSigningKey } from "./list-repository.ts";
import type { SamlKeys } from "./saml-keys.ts";

/** Maps the messages of SigningKeyService to commands. */
export function createSigningKeyService(
  commands: SigningKeyCommands,
  samlKeys: Pick<SamlKeys, "rotate">,
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
      run: async (call, request) => {
        const { rotate } = request.use === SigningKeyUse.SAML ? samlKeys : commands;
        return toDetailsAnswer(await rotate(call, request));
      },
    },
  });
}

function toSigningKeyMessage(key: ListedSigningKey) {
  const { id, details, use, algorithm, state, expirationMs, certificate } = key;
  return {
    id,
    details: toObjectDetails(details),
    algorithm: SigningAlgorithm[algorithm],
    state: SigningKeyState[state],
    use: SigningKeyUse[use],
    ...(expirationMs === undefined ? {} : { expirationDate: toTimestampOfMs(expirationMs) }),
    ...(certificate === undefined ? {} : { certificate: new Uint8Array(certificate) }),
  };
}

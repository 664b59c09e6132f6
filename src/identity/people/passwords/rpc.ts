import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { toDetailsAnswer, toObjectDetails, toRemovalAnswer } from "../../messages.ts";
import { type ServiceRpcs, toForcedCall } from "../../rpc.ts";
import type { PasswordCommands, PasswordProof } from "./commands.ts";

type Rpcs = ServiceRpcs<typeof UserService>;

/** Maps the messages about passwords to commands. */
export function createPasswordRpcs(
  commands: PasswordCommands,
): Pick<Rpcs, "setPassword" | "requestPasswordReset" | "setPasswordHash" | "removePassword"> {
  return {
    setPassword: {
      run: async (call, request) =>
        toDetailsAnswer(
          await commands.set(call, {
            userId: request.userId,
            password: new Secret(request.password),
            isChangeRequired: request.changeRequired,
            proof: toProof(request.verification),
          }),
        ),
    },
    requestPasswordReset: {
      run: async (call, request) => {
        const { userId, medium } = request;
        const { details, code } = await commands.requestReset(call, {
          userId,
          medium:
            medium.case === "returnCode"
              ? { kind: "return-code" }
              : { kind: "send-link", urlTemplate: medium.value?.urlTemplate ?? "" },
        });
        return { details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
      },
    },
    setPasswordHash: {
      prepareItem: (call, request) => commands.prepareHash(call, new Secret(request.encodedHash)),
      run: async (call, request) =>
        toDetailsAnswer(
          await commands.setHash(call, {
            userId: request.userId,
            encodedHash: new Secret(request.encodedHash),
            isChangeRequired: request.changeRequired,
          }),
        ),
    },
    removePassword: {
      run: async (call, request) =>
        toRemovalAnswer(await commands.remove(toForcedCall(call, request), request.userId)),
    },
  };
}

function toProof(
  verification:
    | { readonly case: "currentPassword" | "verificationCode"; readonly value: string }
    | { readonly case: undefined },
): PasswordProof | undefined {
  switch (verification.case) {
    case "currentPassword":
      return { kind: "current-password", password: new Secret(verification.value) };
    case "verificationCode":
      // Base32 is read by people, who write it in small letters too (RFC 4648 §3.4).
      return { kind: "code", code: new Secret(verification.value.toUpperCase()) };
    case undefined:
      return undefined;
  }
}

import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { toObjectDetails, toVerificationDetails } from "../../messages.ts";
import { type ServiceRpcs, toForcedCall } from "../../rpc.ts";
import type { EmailVerification } from "./email.ts";
import type { EmailCommands, MadeEmailCode } from "./commands.ts";

/** Maps the messages about email addresses to commands. */
export function createEmailRpcs(
  commands: EmailCommands,
): Pick<ServiceRpcs<typeof UserService>, "setEmail" | "resendEmailCode" | "verifyEmail"> {
  return {
    setEmail: {
      run: async (call, request) => {
        const { userId, email } = request;
        const verification = verifications[request.verification.case ?? "sendCode"];
        const asked = { userId, email, verification };
        return toCodeAnswer(await commands.set(toForcedCall(call, request), asked));
      },
    },
    resendEmailCode: {
      run: async (call, request) => {
        const verification = verifications[request.verification.case ?? "sendCode"];
        return toCodeAnswer(await commands.resendCode(call, { userId: request.userId, verification }));
      },
    },
    verifyEmail: {
      run: async (call, request) => {
        const code = new Secret(request.verificationCode);
        const details = await commands.verify(call, { userId: request.userId, code });
        return { details: toVerificationDetails(details) };
      },
    },
  };
}

const verifications = {
  sendCode: "send-code",
  returnCode: "return-code",
  isVerified: "is-verified",
} as const satisfies Record<string, EmailVerification>;

function toCodeAnswer({ details, code }: MadeEmailCode) {
  return { details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
}

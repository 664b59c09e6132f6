import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { toObjectDetails, toRemovalAnswer, toVerificationDetails } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { checkPhone } from "../user/phone-number.ts";
import type { PhoneCommands } from "./commands.ts";
import type { PhoneVerification } from "./phone.ts";

/** Maps the messages about phones to commands. */
export function createPhoneRpcs(
  commands: PhoneCommands,
): Pick<ServiceRpcs<typeof UserService>, "setPhone" | "resendPhoneCode" | "verifyPhone" | "removePhone"> {
  return {
    setPhone: {
      check: (request) => (request.phone === "" ? [] : checkPhone("phone", request.phone)),
      run: async (call, request) => {
        const { userId, phone } = request;
        const verification = verifications[request.verification.case ?? "sendCode"];
        const { details, code } = await commands.set(call, { userId, phone, verification });
        return { details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
      },
    },
    resendPhoneCode: {
      run: async (call, request) => {
        const verification = verifications[request.verification.case ?? "sendCode"];
        const { details, code } = await commands.resendCode(call, {
          userId: request.userId,
          verification,
        });
        return { details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
      },
    },
    verifyPhone: {
      run: async (call, request) => {
        const code = new Secret(request.verificationCode);
        const details = await commands.verify(call, { userId: request.userId, code });
        return { details: toVerificationDetails(details) };
      },
    },
    removePhone: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request.userId)),
    },
  };
}

const verifications = {
  sendCode: "send-code",
  returnCode: "return-code",
  isVerified: "is-verified",
} as const satisfies Record<string, PhoneVerification>;

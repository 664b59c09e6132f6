import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { toDetailsAnswer } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { InvitationCommands } from "./commands.ts";

/** Maps the messages about invitations to commands. */
export function createInvitationRpcs(
  commands: InvitationCommands,
): Pick<ServiceRpcs<typeof UserService>, "resendInvitation"> {
  return {
    resendInvitation: {
      run: async (call, { userId, invite }) =>
        toDetailsAnswer(await commands.resend(call, { userId, invite })),
    },
  };
}

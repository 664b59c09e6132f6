import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createHumanUser, idOf, nextPhone, uniqueName } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

const { method } = UserService;

/** Has users changed, stopped and started in every way, and one removed with all that was theirs. */
export async function liveUsers(service: ConnectedService, organizationId: string): Promise<void> {
  const gone = await createHumanUser(service, organizationId);
  await furnish(service, gone);
  await service.call(method.removeUser, { userId: gone });
  const userId = await createHumanUser(service, organizationId);
  const profile = { givenName: "Augusta", familyName: "King", email: "augusta@example.com" };
  await service.call(method.updateHumanUser, { userId, username: uniqueName("augusta"), ...profile });
  const { u2fId, tokenId } = await furnish(service, userId);
  await service.call(method.removeU2f, { userId, u2fId });
  await service.call(method.removePersonalAccessToken, { userId, tokenId });
  await service.call(method.removePhone, { userId });
  for (const act of [method.lockUser, method.unlockUser, method.deactivateUser, method.reactivateUser])
    await service.call(act, { userId });
  const locked = await createHumanUser(service, organizationId);
  await service.call(method.lockUser, { userId: locked });
}

async function furnish(service: ConnectedService, userId: string) {
  const phone = { phone: nextPhone(), verification: { case: "returnCode", value: {} } } as const;
  await service.call(method.setPhone, { userId, ...phone });
  const u2f = await service.call(method.registerU2f, { userId });
  const token = await service.call(method.addPersonalAccessToken, { userId });
  await service.call(method.addPersonalAccessToken, { userId }, idOf(token, "token"));
  return { u2fId: idOf(u2f, "u2fId"), tokenId: idOf(token, "tokenId") };
}

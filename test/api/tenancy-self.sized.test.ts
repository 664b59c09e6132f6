import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { lanes, toRequest } from "../support/clients.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import { createHumanUser, idOf, nextPhone } from "../support/world.ts";
import { prepareFresh } from "./support/tenancy-fresh.ts";
import { requestOf, type Target } from "./support/tenancy-requests.ts";
import { callers } from "./support/tenancy-roles.ts";
import { listMatrixRpcs, type MatrixRpc } from "./support/tenancy-rpcs.ts";
import { addMember, createTenancyWorld, type TenancyWorld } from "./support/tenancy-world.ts";
import { someOf } from "../support/size.ts";

// What everybody may do for themselves (decision 15), and with a limited token (decision 14).

const rpcs = await listMatrixRpcs();

let service: TestService;
let world: TenancyWorld;

beforeAll(async () => {
  service = await startService();
  world = await createTenancyWorld(service);
});

afterAll(() => service.stop());

async function setPhone(userId: string): Promise<string> {
  const set = await service.call(UserService.method.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  return idOf(set, "verificationCode");
}

describe("a human user without any role", () => {
  const forThemselves = new Set([
    "GetUser",
    "SetPhone",
    "ResendPhoneCode",
    "VerifyPhone",
    "RemovePhone",
    "SetEmail",
    "ResendEmailCode",
    "VerifyEmail",
    "SetPassword",
    "RequestPasswordReset",
    "RemovePassword",
    "RegisterU2f",
    "VerifyU2f",
    "RemoveU2f",
    "RegisterTotp",
    "VerifyTotp",
    "RemoveTotp",
    "RemoveCodeFactor",
    "GenerateRecoveryCodes",
    "RemoveRecoveryCodes",
    "ListSecondFactors",
    "RegisterPasskey",
    "VerifyPasskey",
    "RemovePasskey",
    "ListPasskeys",
    "AddPersonalAccessToken",
    "ListPersonalAccessTokens",
    "RemovePersonalAccessToken",
    "ListRefreshTokens",
    "RemoveRefreshToken",
    "ListIdpLinks",
    "RemoveIdpLink",
  ]);
  /** What these want besides: a proof, or a login. */
  const wanting = new Map([
    ["SetEmail", "REAUTHENTICATION_REQUIRED"],
    ["SetPassword", "FIELD_INVALID"],
    ["RemovePassword", "REAUTHENTICATION_REQUIRED"],
    ["RegisterPasskey", "REAUTHENTICATION_REQUIRED"],
    ["VerifyPasskey", "REAUTHENTICATION_REQUIRED"],
    ["RemovePasskey", "REAUTHENTICATION_REQUIRED"],
    ["RegisterTotp", "REAUTHENTICATION_REQUIRED"],
    ["VerifyTotp", "REAUTHENTICATION_REQUIRED"],
    ["RemoveTotp", "REAUTHENTICATION_REQUIRED"],
    ["RemoveCodeFactor", "REAUTHENTICATION_REQUIRED"],
    ["GenerateRecoveryCodes", "REAUTHENTICATION_REQUIRED"],
    ["RemoveRecoveryCodes", "REAUTHENTICATION_REQUIRED"],
    ["RemoveIdpLink", "REAUTHENTICATION_REQUIRED"],
  ]);
  const aboutUsers = rpcs.filter(({ path, method }) => {
    return method.parent.name === "UserService" && path[0] === "user";
  });

  /** Each rpc with a content type: they take turns, as who may call is judged behind them. */
  const rows = aboutUsers.map(
    (rpc, index) => [rpc.name, rpc, lanes[index % lanes.length] ?? "json"] as const,
  );

  test.each(rows)("may call %s for themselves as decided", async (name, rpc, lane) => {
    const { request, token } = await requestOfThemselves(rpc);
    const outcome = await service.clients[lane].call(rpc.method, toRequest(rpc.method, request), { token });
    const seen = outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
    const expected = wanting.get(name) ?? (forThemselves.has(name) ? "allowed" : "PERMISSION_DENIED");
    expect([lane, seen]).toEqual([lane, expected]);
  });

  const withLimited = new Set([
    "GetUser",
    "ListSecondFactors",
    "ListPasskeys",
    "AddPersonalAccessToken",
    "ListPersonalAccessTokens",
    "ListRefreshTokens",
    "ListIdpLinks",
  ]);

  test.each(someOf(rows, [...withLimited]))(
    "may call %s for themselves with a limited token as decided",
    async (name, rpc, lane) => {
      const role = {
        scope: { case: "projectId", value: world.objects.other.project },
        role: "PROJECT_VIEWER",
      } as const;
      const { request, token, userId } = await requestOfThemselves(rpc, true);
      await addMember(service, { userId, ...role });
      const outcome = await service.clients[lane].call(rpc.method, toRequest(rpc.method, request), { token });
      const seen = outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
      const refused = forThemselves.has(name) ? "TOKEN_LIMITED" : "PERMISSION_DENIED";
      expect([lane, seen]).toEqual([lane, withLimited.has(name) ? "allowed" : refused]);
    },
  );

  /** Makes a user with a phone, a factor and a token, and returns a request about them. */
  async function requestOfThemselves(rpc: MatrixRpc, byManager = false) {
    const giver = world.organizations.ours;
    const user = await createHumanUser(service, giver);
    await setPhone(user);
    const objects = { ...world.objects.own, user, service_user: user };
    const target: Target = { parent: objects, leaf: objects, isByGrant: false };
    const [caller] = callers;
    if (caller === undefined) throw new Error("somebody must call");
    const { fields } = await prepareFresh({ world, rpc, target, caller, giver });
    const userId = typeof fields["user_id"] === "string" ? fields["user_id"] : user;
    const maker = byManager ? world.users.get("user manager")?.token : undefined;
    const made = await service.call(UserService.method.addPersonalAccessToken, { userId }, maker);
    // Without it the code goes to the phone: nobody has their own code returned.
    const { returnCode: _returnCode, ...request } = requestOf(rpc, { ...target, fields });
    return { request, userId, token: idOf(made, "token") };
  }

  test("and one who owns the instance has their own code returned as little as they vouch for their phone", async () => {
    const userId = await createHumanUser(service, world.organizations.hq);
    const owner = { userId, scope: { case: "instance", value: true }, role: "INSTANCE_OWNER" } as const;
    await addMember(service, owner);
    const token = idOf(await service.call(UserService.method.addPersonalAccessToken, { userId }), "token");
    const { setPhone: set, resendPhoneCode } = UserService.method;
    const phone = nextPhone();
    for (const lane of lanes) {
      const { call } = service.clients[lane];
      const outcomes = [
        await call(set, { userId, phone, verification: { case: "returnCode", value: {} } }, { token }),
        await call(set, { userId, phone, verification: { case: "isVerified", value: true } }, { token }),
        await call(resendPhoneCode, { userId, verification: { case: "returnCode", value: {} } }, { token }),
      ];
      expect([lane, ...outcomes.map((outcome) => refusalOf(outcome).reason)]).toEqual([
        lane,
        ...outcomes.map(() => "SELF_VERIFICATION_FORBIDDEN"),
      ]);
    }
  });
});

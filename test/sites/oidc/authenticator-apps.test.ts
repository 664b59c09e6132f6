import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import type { SessionMethod } from "../../../src/identity/logins/sessions/session.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createHumanUser, createWorld, type World } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { getTokens, signIn } from "./support/signed-in.ts";

let service: TestService;
let world: World;
let application: TestApplication;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  application = await createApplication(service, world);
});
afterAll(() => service.stop());

test.each<SessionMethod>(["TOTP", "RECOVERY_CODE"])(
  "a login with a password and %s tells of a code and of two factors (RFC 8176)",
  async (method) => {
    const userId = await createHumanUser(service, world.organizationId);
    const browser = await signIn(service, userId, ["PASSWORD", method]);
    const { idToken } = await getTokens(service, application, { browser });
    expect(decodeJwt(idToken)).toMatchObject({
      amr: ["pwd", "otp", "mfa"],
      acr: "urn:gatehouse:acr:mfa",
    });
  },
);

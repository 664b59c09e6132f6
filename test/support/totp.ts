import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { timeCode, toTimeStep } from "../../src/identity/factors/totp/time-code.ts";
import type { TestService } from "./service.ts";
import { idOf } from "./world.ts";

/** Reads base32 (RFC 4648 §6), with or without the spaces that pages show in it. */
export function fromBase32(text: string): Uint8Array {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(text.replaceAll(" ", ""), (character) =>
    alphabet.indexOf(character).toString(2).padStart(5, "0"),
  ).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** Makes an authenticator app of a secret in base32: `code(atMs)` is what it shows at that instant. */
export function makeApp(secret: string) {
  const bytes = fromBase32(secret);
  return { secret, code: (atMs: number): string => timeCode(bytes, toTimeStep(atMs)) };
}

/** Starts the registration of an app for a user, as the administrator. */
export async function beginTotp(service: TestService, userId: string) {
  return makeApp(idOf(await service.call(UserService.method.registerTotp, { userId }), "secret"));
}

/** Gives a user an app, as the administrator. The time step of its first code is used up. */
export async function registerTotp(service: TestService, userId: string) {
  const app = await beginTotp(service, userId);
  await service.call(UserService.method.verifyTotp, { userId, code: app.code(service.clock.nowMs()) });
  return app;
}

/** Gives a user recovery codes, as the administrator. */
export async function generateRecoveryCodes(
  service: TestService,
  userId: string,
): Promise<readonly string[]> {
  const { codes } = await service.call(UserService.method.generateRecoveryCodes, { userId });
  return codes as readonly string[]; // as the message has them
}

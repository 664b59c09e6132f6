import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { sized } from "../support/size.ts";
import { type Ended, runPart } from "./support/apart.ts";
import { operations } from "./support/operations.ts";

const services = [
  OrganizationService,
  MembershipService,
  UserService,
  IdentityProviderService,
  ProjectService,
  UserGrantService,
  ApplicationService,
];

/**
 * Phones, addresses, passwords, factors and logins have states of their own, which time and codes decide; test/identity walks
 * through them, and through clients.
 */
const leftOut = [
  ApplicationService.method.getExternalClientSettings,
  ApplicationService.method.updateExternalClientSettings,
  ApplicationService.method.createOidcApplication,
  ApplicationService.method.updateOidcConfig,
  ApplicationService.method.createApiApplication,
  ApplicationService.method.updateApiConfig,
  ApplicationService.method.generateClientSecret,
  ApplicationService.method.addApplicationKey,
  ApplicationService.method.listApplicationKeys,
  ApplicationService.method.getApplicationKey,
  ApplicationService.method.removeApplicationKey,
  UserService.method.setPhone,
  UserService.method.resendPhoneCode,
  UserService.method.verifyPhone,
  UserService.method.removePhone,
  UserService.method.setEmail,
  UserService.method.resendEmailCode,
  UserService.method.verifyEmail,
  UserService.method.setPassword,
  UserService.method.requestPasswordReset,
  UserService.method.setPasswordHash,
  UserService.method.removePassword,
  UserService.method.registerU2f,
  UserService.method.verifyU2f,
  UserService.method.listSecondFactors,
  UserService.method.removeU2f,
  UserService.method.registerPasskey,
  UserService.method.verifyPasskey,
  UserService.method.listPasskeys,
  UserService.method.removePasskey,
  UserService.method.listRefreshTokens,
  UserService.method.removeRefreshToken,
  UserService.method.addServiceUserKey,
  UserService.method.listServiceUserKeys,
  UserService.method.getServiceUserKey,
  UserService.method.removeServiceUserKey,
  UserService.method.generateServiceUserSecret,
  UserService.method.removeServiceUserSecret,
  UserService.method.addIdpLink,
  UserService.method.listIdpLinks,
  UserService.method.removeIdpLink,
  UserService.method.registerTotp,
  UserService.method.verifyTotp,
  UserService.method.removeTotp,
  UserService.method.removeCodeFactor,
  UserService.method.generateRecoveryCodes,
  UserService.method.removeRecoveryCodes,
  UserService.method.resendInvitation,
];

test("every rpc has an operation", () => {
  const rpcs: readonly DescMethod[] = services.flatMap((service) => service.methods);
  const wanted = rpcs.filter((rpc) => !leftOut.some((other) => other === rpc)).map((rpc) => rpc.localName);
  expect(Object.keys(operations).toSorted()).toEqual(wanted.toSorted());
});

// GATEHOUSE_MODEL_SEED makes the same calls again, but for ids and tokens.
test("answers, states, lists and rebuilt tables are those of a plain model", async () => {
  const seed = readNumber("GATEHOUSE_MODEL_SEED") ?? Date.now() % 2 ** 31;
  const count = sized({ small: 80, full: 1000 });
  process.stdout.write(`GATEHOUSE_MODEL_SEED=${seed}\n`);
  const parts = await Promise.all([0, 1].map((part) => runPart([seed, count, part, 2])));
  const ended = parts.flat();
  process.stdout.write(report(count, ended));
  expect(sized({ small: [], full: findUntried(ended) })).toEqual([]);
});

function readNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number)) throw new Error(`${name} must be an integer`);
  return number;
}

function report(count: number, ended: readonly Ended[]): string {
  const byReason = new Map<string, number>();
  for (const [key, times] of ended) {
    const reason = key.split(" ")[1] ?? "";
    byReason.set(reason, (byReason.get(reason) ?? 0) + times);
  }
  const sum = [...byReason.values()].reduce((all, times) => all + times, 0);
  const lines = [...byReason].toSorted((left, right) => right[1] - left[1]);
  const reasons = lines.map(([reason, times]) => `${reason} ${times}`);
  return `${count} sequences, ${sum} random calls: ${reasons.join(", ")}\n`;
}

/** Returns the operations that were never answered, and those that were never refused for what they are. */
function findUntried(ended: readonly Ended[]): readonly string[] {
  const seen = new Set(ended.map(([key]) => key.replace(/ (?!OK|TOKEN_INVALID)\w+$/, " refused")));
  return Object.keys(operations).flatMap((name) => {
    const rpc = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const wanted = ["getMyUser", "getMyPermissions"].includes(name) ? ["OK"] : ["OK", "refused"];
    return wanted.map((how) => `${rpc} ${how}`).filter((key) => !seen.has(key));
  });
}

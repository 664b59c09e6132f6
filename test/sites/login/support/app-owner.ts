import type { OrganizationId, RecoveryCodesId, SecondFactorId } from "../../../../src/kernel/base/ids.ts";
import {
  addRecoveryCodes,
  newRecoveryCodes,
} from "../../../../src/identity/factors/recovery-codes/recovery-code.ts";
import { putRecoveryCodeHashes } from "../../../../src/identity/factors/recovery-codes/repository.ts";
import { putTotpSecret } from "../../../../src/identity/factors/totp/repository.ts";
import { toBase32, totpSecretBytes } from "../../../../src/identity/factors/totp/time-code.ts";
import { makeApp } from "../../../support/totp.ts";
import type { LoginStage, Person } from "./login-stage.ts";

/** Gives a person an app that is ready. */
export async function giveAppOn(stage: LoginStage, { id: userId }: Person, of: OrganizationId) {
  const { context, record, database } = stage.fixture;
  const id = context.ids.next<SecondFactorId>();
  const secret = context.random.bytes(totpSecretBytes);
  await database.write((tx) => putTotpSecret(tx, context.personalData, { userId, id, secret }));
  const about = { aggregateId: userId, resourceOwner: of, payload: { totp_id: id } };
  await record({ ...about, type: "user.totp.added" }, { ...about, type: "user.totp.verified" });
  return { ...makeApp(toBase32(secret)), id, about };
}

/** Gives a person recovery codes. */
export async function giveCodesOn(stage: LoginStage, { id: userId }: Person, of: OrganizationId) {
  const { context, record, database } = stage.fixture;
  const id = context.ids.next<RecoveryCodesId>();
  const { codes, stored } = newRecoveryCodes(context.random);
  await database.write((tx) =>
    putRecoveryCodeHashes(tx, context.personalData, { codes: { userId, id }, stored }),
  );
  await record(
    addRecoveryCodes({ id: userId, details: { sequence: 1, creationDate: 1, resourceOwner: of } }, id),
  );
  return { id, codes: codes.map((code) => code.reveal()) };
}

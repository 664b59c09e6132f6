import { generateKeyPairSync } from "node:crypto";
import { type Act, idOf } from "./act.ts";

/** Makes a service user with keys and a secret, of which some are removed, and keys that sign, of which some are retired or gone. */
export async function makeCredentials(act: Act) {
  const added = await act("UserService/AddServiceUser", {
    username: "machine",
    name: "Machine",
    accessTokenType: "OIDC_TOKEN_TYPE_JWT",
    signingAlgorithm: "SIGNING_ALGORITHM_ES256",
  });
  const machine = idOf(added, "userId");
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = Buffer.from(publicKey.export({ format: "pem", type: "spki" })).toString("base64");
  const addKey = async () =>
    idOf(
      await act("UserService/AddServiceUserKey", { userId: machine, type: "KEY_TYPE_JSON", publicKey: pem }),
      "keyId",
    );
  await addKey();
  await act("UserService/RemoveServiceUserKey", { userId: machine, keyId: await addKey() });
  await act("UserService/GenerateServiceUserSecret", { userId: machine });
  await act("UserService/GenerateServiceUserSecret", { userId: machine });
  await act("SigningKeyService/RotateSigningKeys", {});
  await act("SigningKeyService/RotateSigningKeys", { revokeOld: true });
  await act("SigningKeyService/RotateSigningKeys", {});
  return { machine };
}

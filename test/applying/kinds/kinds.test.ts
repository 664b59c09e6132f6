import { expect, test } from "@jest/globals";
import { getOption } from "@bufbuild/protobuf";
import { Effect, effect } from "../../../gen/gatehouse/v1/effect_pb.ts";
import { configurationKinds } from "../../../src/applying/kinds/configuration-kinds.ts";
import type { ObjectKind } from "../../../src/applying/kinds/object-kind.ts";
import { listMethods } from "../../support/methods.ts";

/** Calls that no configuration makes, by the reason. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  "other calls do the same, one object at a time": [
    "Write",
    ...["User", "Organization", "Project", "Application", "Group"].map((noun) => `BulkSet${noun}Metadata`),
    "BulkAddProjectRoles",
    "BulkRemoveUserGrants",
    "AddJwtIdentityProvider",
    "AddOidcIdentityProvider",
    "UpdateJwtIdentityProvider",
  ],
  "secrets and keys that the service makes, and a file cannot hold": [
    "GenerateClientSecret",
    "AddApplicationKey",
    "RemoveApplicationKey",
    "AddTargetSecret",
    "RemoveTargetSecret",
    "AddHookSecret",
    "RemoveHookSecret",
    "AddServiceUserKey",
    "RemoveServiceUserKey",
    "GenerateServiceUserSecret",
    "RemoveServiceUserSecret",
    "AddPersonalAccessToken",
    "RemovePersonalAccessToken",
    "RotateSigningKeys",
  ],
  "of people and what they sign in with": [
    "AddHumanUser",
    "UpdateHumanUser",
    "LockUser",
    "UnlockUser",
    "SetPhone",
    "ResendPhoneCode",
    "VerifyPhone",
    "RemovePhone",
    "SetEmail",
    "ResendEmailCode",
    "VerifyEmail",
    "SetPassword",
    "RequestPasswordReset",
    "ResendInvitation",
    "SetPasswordHash",
    "RemovePassword",
    "RegisterU2f",
    "VerifyU2f",
    "RemoveU2f",
    "RegisterPasskey",
    "VerifyPasskey",
    "RemovePasskey",
    "RegisterTotp",
    "VerifyTotp",
    "RemoveTotp",
    "RemoveCodeFactor",
    "GenerateRecoveryCodes",
    "RemoveRecoveryCodes",
    "RemoveRefreshToken",
    "AddIdpLink",
    "RemoveIdpLink",
    "TerminateSession",
    "TerminateUserSessions",
  ],
  "too much is lost when a line of a file is": ["RemoveOrganization", "ResetLoginPolicy", "ResetLabelPolicy"],
  "images are set in the console": ["SetLabelPolicyImage", "SetDefaultLabelPolicyImage"],
  "it names organizations within a list, which cannot be new": ["SetUserMetadataSharing"],
  "it does something once": ["Redeliver"],
};

const withChildren = (kind: ObjectKind): readonly ObjectKind[] => [
  kind,
  ...kind.children.flatMap(withChildren),
];
const kinds = configurationKinds.flatMap(withChildren);

test("the kinds make every call that changes something, but for those with a reason", async () => {
  const made = new Set(
    kinds.flatMap(({ add, updates, finish, remove, switches }): readonly (string | undefined)[] => [
      add,
      ...updates,
      finish,
      remove,
      switches?.deactivate,
      switches?.reactivate,
    ]),
  );
  const changing = (await listMethods()).filter((method) => getOption(method, effect) !== Effect.READ);
  const others = changing.filter(({ localName }) => !made.has(localName)).map(({ name }) => name);
  expect(others.toSorted()).toEqual(Object.values(leftOut).flat().toSorted());
});

test("what belongs to an object comes after it", () => {
  const early = kinds.flatMap(({ key, order, children }) =>
    children.filter((child) => child.order <= order).map((child) => `${key}: ${child.key}`),
  );
  expect(early).toEqual([]);
});

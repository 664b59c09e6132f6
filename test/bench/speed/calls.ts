import { create, type DescMessage, type DescMethodUnary, toBinary, toJson } from "@bufbuild/protobuf";
import { BatchService } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { CallName, Lane, Stock } from "./load.ts";

/** Role that every project of the stock has. */
export const roleKey = "reader";

const methods: Readonly<Record<CallName, DescMethodUnary>> = {
  AddUserGrant: UserGrantService.method.addUserGrant,
  AddServiceUser: UserService.method.addServiceUser,
  GetProject: ProjectService.method.getProject,
  UpdateProject: ProjectService.method.updateProject,
  CreateIdentityProvider: IdentityProviderService.method.createIdentityProvider,
  GetUserGrant: UserGrantService.method.getUserGrant,
  ListUserGrants: UserGrantService.method.listUserGrants,
  UpdateProjectAgain: ProjectService.method.updateProject,
  Write: BatchService.method.write,
};

/** Returns the type of the answer. */
export function outputOf(call: CallName): DescMessage {
  return methods[call].output;
}

export function pathOf(call: CallName): string {
  const { parent, name } = methods[call];
  return `/${parent.typeName}/${name}`;
}

/** Returns how many calls of different numbers there are before one repeats; after that AddUserGrant would be refused. */
export function supply({ userIds, projectIds }: Stock): number {
  return userIds.length * projectIds.length;
}

/** Returns the body of call number `index`. */
export function bodyOf(
  call: CallName,
  lane: Lane,
  { stock, index }: { stock: Stock; index: number },
): Buffer {
  const { input } = methods[call];
  const message = create(input, fieldsOf(call, stock, index));
  if (lane === "JSON") return Buffer.from(JSON.stringify(toJson(input, message)));
  const bytes = toBinary(input, message);
  const frame = Buffer.allocUnsafe(5 + bytes.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, 5);
  return frame;
}

/** User grants in one batch. */
export const batchSize = 1000;

function fieldsOf(call: CallName, stock: Stock, index: number) {
  const { projectIds, listedUserIds = [], grants = [], callers = [] } = stock;
  const projectId = projectIds[index % projectIds.length] ?? "";
  switch (call) {
    case "AddUserGrant":
      return grantOf(stock, index);
    case "AddServiceUser":
      return { username: `added-${index}`, name: `Added ${index}` };
    case "Write": {
      // From the last number down, so that it adds none of those that AddUserGrant adds.
      const last = supply(stock) - 1 - index * batchSize;
      const added = Array.from({ length: batchSize }, (_, place) => grantOf(stock, last - place));
      return { items: added.map((value) => ({ request: { case: "addUserGrant", value } })) };
    }
    case "GetProject":
      return { id: projectId };
    case "UpdateProject":
      return { id: projectId, name: `Project ${index}`, projectRoleCheck: true };
    case "CreateIdentityProvider":
      return { name: `Provider ${index}`, config: { case: "jwt", value: jwt } };
    case "GetUserGrant":
      return { ...grants[scattered(index, grants.length)] };
    case "ListUserGrants":
      return { userId: listedUserIds[scattered(index, listedUserIds.length)] ?? "" };
    case "UpdateProjectAgain": {
      const { projectId: id = "", projectName: name = "" } = callers[index % callers.length] ?? {};
      return { id, name };
    }
  }
}

function grantOf({ userIds, projectIds }: Stock, index: number) {
  const projectId = projectIds[Math.floor(index / userIds.length) % projectIds.length] ?? "";
  return { userId: userIds[scattered(index, userIds.length)] ?? "", projectId, roleKeys: [roleKey] };
}

/** Leaps through the objects, so that neighbours do not come one after the other. */
function scattered(index: number, count: number): number {
  return (index * 7919) % count;
}

const jwt = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "https://idp.example.com",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "authorization",
};

import { create, type DescMethodUnary, toBinary, toJson } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import type { CallName, Lane, Stock } from "./load.ts";

/** Role that every project of the stock has. */
export const roleKey = "reader";

const methods: Readonly<Record<CallName, DescMethodUnary>> = {
  AddUserGrant: UserGrantService.method.addUserGrant,
  GetProject: ProjectService.method.getProject,
  UpdateProject: ProjectService.method.updateProject,
  CreateIdentityProvider: IdentityProviderService.method.createIdentityProvider,
  GetUserGrant: UserGrantService.method.getUserGrant,
  ListUserGrants: UserGrantService.method.listUserGrants,
  UpdateProjectAgain: ProjectService.method.updateProject,
};

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

function fieldsOf(call: CallName, stock: Stock, index: number) {
  const { userIds, projectIds, listedUserIds = [], grants = [], callers = [] } = stock;
  const projectId = projectIds[index % projectIds.length] ?? "";
  switch (call) {
    case "AddUserGrant": {
      const addedTo = projectIds[Math.floor(index / userIds.length) % projectIds.length] ?? "";
      const userId = userIds[scattered(index, userIds.length)] ?? "";
      return { userId, projectId: addedTo, roleKeys: [roleKey] };
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

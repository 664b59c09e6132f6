import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Listed } from "../lists/read-list.ts";
import { patchResource } from "../patches/patch.ts";
import { readOperations } from "../patches/operations.ts";
import type { ScimRequest } from "../calls/rpc-calls.ts";
import { readResource } from "../schemas/read-value.ts";
import { isMembers, type JsonMembers, type ScimResource, plainTextOf } from "../schemas/resource.ts";
import { userType } from "../schemas/user-schema.ts";
import type { ScimEndpoint } from "../lists/endpoint.ts";
import { narrowUsers, readScimUsers, userRows } from "./repository.ts";
import { toUserResource } from "./user-resource.ts";
import { changeUser, createUser, deleteUser, readUser, toAsked } from "./write-user.ts";

/** Users: each request is the calls of UserService and MetadataService that it stands for. */
export const usersEndpoint: ScimEndpoint = {
  type: userType,
  like: { method: UserService.method.listUsers, request: {} },
  list(request: ScimRequest): Listed {
    const look: Listed["look"] = async (tx, ids) =>
      (await readScimUsers(tx, toAsked(request), ids)).map((each) =>
        toUserResource(each, { ...request, serviceUserId: request.caller.userId }),
      );
    return { type: userType, rows: userRows, narrowTerm: narrowUsers(toAsked(request)), look, read: look };
  },
  read: (request: ScimRequest, id: string) =>
    request.options.database.read((tx) => readUser(request, tx, id)),
  create: (request: ScimRequest, body: JsonMembers) => createUser(request, readResource(userType, body)),
  replace(request, id, { body, require }) {
    const wanted = readResource(userType, body);
    const decide = (before: ScimResource): ScimResource => {
      require(before);
      // A directory that does not speak of it leaves the state as it is.
      return { active: before["active"] ?? true, ...wanted };
    };
    return changeUser(request, id, { decide, password: plainTextOf(wanted["password"]) });
  },
  patch(request, id, { body, require }) {
    const operations = readOperations(body);
    const password = passwordOf(operations);
    const decide = (before: ScimResource): ScimResource => {
      require(before);
      return patchResource(userType, before, operations);
    };
    return changeUser(request, id, { decide, password });
  },
  remove: (request, id, require) => deleteUser(request, id, require),
};

/** Finds the password that operations set: it is checked and hashed before anything is written. */
function passwordOf(operations: ReturnType<typeof readOperations>): string | undefined {
  const nothing: ScimResource = {
    active: true,
    userName: "x",
    name: { givenName: "x", familyName: "x" },
    emails: [{ value: "x" }],
  };
  const ofPassword = operations.filter(({ path, value }) =>
    path === undefined
      ? isMembers(value) && Object.keys(value).some((key) => /(?:^|:)password$/i.test(key))
      : /(?:^|:)password$/i.test(path),
  );
  return plainTextOf(patchResource(userType, nothing, ofPassword)["password"]);
}

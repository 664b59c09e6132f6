import { isolate } from "../texts/isolate.ts";
import type { User } from "../../../gen/console/gatehouse/v1/user_pb.ts";

/** Returns the name to show of a user: of a person the display name or both names, of a service user its name. */
export function nameOfUser({ type, username }: User): string {
  switch (type.case) {
    case "human": {
      const { displayName, givenName, familyName } = type.value;
      return displayName === "" ? `${givenName} ${familyName}` : displayName;
    }
    case "service":
      return type.value.name;
    default:
      return username;
  }
}

/** Returns the name of a user with the username behind it, where they differ. */
export function fullNameOfUser(user: User): string {
  const name = nameOfUser(user);
  return name === user.username ? name : `${isolate(name)} (${isolate(user.username)})`;
}

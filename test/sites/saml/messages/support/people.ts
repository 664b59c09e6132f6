import { toId, type UserId } from "../../../../../src/kernel/base/ids.ts";

/** Somebody who logs in, as far as messages tell of users. */
export const ada = {
  id: toId<UserId>("4711"),
  username: "ada",
  givenName: "Ada",
  familyName: "Lovelace",
  displayName: "Countess Ada",
  email: "ada@example.com",
  isEmailVerified: true,
};

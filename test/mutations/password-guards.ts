import type { Guard } from "./guards.ts";

const check = "test/identity/people/passwords/password-check.test.ts";
const commands = "test/identity/people/passwords/commands.test.ts";

/** Passwords, the tries of them, and the codes that reset them. */
export const passwordGuards: readonly Guard[] = [
  {
    name: "passwords: wrong codes of strangers do not keep a user from a reset",
    file: "src/identity/people/codes/code.ts",
    change: ["reset: false }", "reset: true }"],
    in: "test/identity/people/passwords/commands.test.ts",
    test: "can be used after any number of wrong tries",
  },
  {
    name: "passwords: codes of a reset are tried by address",
    file: "src/sites/login/pages/reset-password.ts",
    change: ["if (!tried.isAllowed) return", "if (!tried.isAllowed && tried.retryAfterMs < 0) return"],
    in: "test/sites/login/new-passwords.test.ts",
    test: "a hundred wrong ones",
  },
  {
    name: "passwords: common ones are refused",
    file: "src/identity/people/passwords/password.ts",
    change: ["isCommonPassword(password, namesAround(user, place)) ?", 'isCommonPassword("", []) && false ?'],
    in: "test/identity/people/passwords/password.test.ts",
    test: "a word, digits and a mark",
  },
  {
    name: "a try is counted before anything is compared",
    file: "src/identity/logins/tries/repository.ts",
    change: ["  await putTries(tx, asked, reserved.tries);\n", ""],
    in: check,
    test: "at once: 40 wrong ones",
  },
  {
    name: "tries are paused",
    file: "src/identity/logins/tries/try.ts",
    change: ["if (freeMs > nowMs) return", "if (false) return"],
    in: "test/identity/logins/tries/try.test.ts",
  },
  {
    name: "tries are counted by the address, too",
    file: "src/identity/people/passwords/password-check.ts",
    change: ["[counters.name, counters.address]", "[counters.name]"],
    in: check,
    test: "from one network",
  },
  {
    name: "a hash is computed for a name that nobody has",
    file: "src/identity/people/passwords/password-check.ts",
    change: ["if (encoded === undefined) await hasher.verifyNothing(typed.password, dearest);", ""],
    in: check,
    test: "is of nobody",
  },
  {
    name: "no more passwords are compared than there are before the lock",
    file: "src/identity/people/passwords/password-check.ts",
    change: ['return isBeyond ? "too_many" : undefined;', "return undefined;"],
    in: check,
    test: "lets no more than three be compared",
  },
  {
    name: "an owner of the instance is not locked by wrong passwords",
    file: "src/identity/people/passwords/password-check.ts",
    change: ["return !(await isNeverLocked(tx, user.id));", "return true;"],
    in: check,
    test: "never locks anybody who holds INSTANCE_OWNER",
  },
  {
    name: "a password that was replaced meanwhile lets nobody in",
    file: "src/identity/people/passwords/password-check.ts",
    change: ["if (user === undefined || !(await isAsBefore(tx, user, compared)))", "if (user === undefined)"],
    in: check,
    test: "was replaced",
  },
  {
    name: "a password that is removed ends what others have logged in to with it",
    file: "src/identity/people/passwords/commands.ts",
    change: [
      "lineage.creator === user.id ? ownSessionOf(call, user) : undefined",
      "ownSessionOf(call, user)",
    ],
    in: commands,
    test: "ends what others have logged in to with it",
  },
  {
    name: "users prove something before they set their own password",
    file: "src/identity/people/passwords/commands.ts",
    change: ["if (isSelf && proof === undefined)", "if (false)"],
    in: commands,
    test: "prove something",
  },
  {
    name: "users set their own password only after a login",
    file: "src/identity/people/passwords/commands.ts",
    change: ["await requireRecentLogin(tx, call, context);", ""],
    in: commands,
    test: "have logged in a moment ago",
  },
  {
    name: "nobody is given a code for their own password",
    file: "src/identity/people/passwords/reset-commands.ts",
    change: [
      'if (medium.kind === "return-code" && userId === call.caller.userId) throw',
      "if (medium === undefined) throw",
    ],
    in: commands,
    test: "cannot be had for oneself",
  },
  {
    name: "a new password ends the other sessions",
    file: "src/identity/people/passwords/password-change.ts",
    change: ["    ...(await endLogins(tx, user.id, set)),\n", ""],
    in: commands,
    test: "keep the session that they do it in",
  },
  {
    name: "a password that others know ends when its user gains roles",
    file: "src/identity/memberships/end-known-password.ts",
    change: ["if (!isKnown) return email;", "if (!isKnown || email !== undefined) return email;"],
    in: commands,
    test: "loses one that somebody else has set",
  },
  {
    name: "a token that was made after a login with a known password is judged as one of who knew it",
    file: "src/identity/programs/tokens/commands.ts",
    change: [
      "const loginOrigin = await findLoginOriginOf(tx, call, asked.user.id);",
      "const loginOrigin = undefined;",
    ],
    in: "test/identity/memberships/tokens-to-limit.test.ts",
    test: "is judged as one of whoever else had set that",
  },
  {
    name: "a password that was changed with a known one is known",
    file: "src/identity/people/passwords/password-change.ts",
    change: ["const former = await findPasswordLineage(tx, user.id);", "const former = undefined;"],
    in: commands,
    test: "loses one that was changed with such a password",
  },
  {
    name: "a code that others were given ends when its user gains roles",
    file: "src/identity/memberships/end-known-password.ts",
    change: ["if (code?.givenTo !== undefined) {", "if (false as boolean && code?.givenTo !== undefined) {"],
    in: commands,
    test: "loses such a code",
  },
  {
    name: "a hash from elsewhere costs no more than we allow",
    file: "src/identity/people/passwords/encoded-hash.ts",
    change: ["hash.memoryKib <= maxCost.memoryKib &&", ""],
    in: "test/identity/people/passwords/encoded-hash.test.ts",
  },
  {
    name: "passwords: only of the user has a browser reset requests of its own",
    file: "src/identity/logins/known-browsers/repository.ts",
    change: ['return name === undefined ? [] : ["known", name];', 'return ["known", name ?? hash];'],
    in: "test/sites/login/forgotten-password.test.ts",
    test: "strangers who use up",
  },
];

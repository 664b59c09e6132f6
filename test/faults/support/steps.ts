import type { Random } from "../../hostile/support/random.ts";
import type { Kind, Thing } from "./things.ts";

/** What is there before anybody writes: a project with the roles a, b and c. */
export interface Ground {
  readonly projectId: string;
  /** Comes first in all names, so that writers of different grounds do not meet. */
  readonly tag: string;
}

/** One call that writes, and what its things are after it: all of them, or none. */
export interface Step {
  readonly method: string;
  readonly body: object;
  readonly changes: readonly { readonly thing: Thing; readonly after: string | undefined }[];
  /** The field of the answer with the id of what was made. */
  readonly idField?: string;
  /** Whether `details` of the answer are those of the thing. */
  readonly movesDetails: boolean;
}

/** A writer with more things than these removes one. */
const maxThings = 12;
let counter = 0;

/** Draws what a writer with these things does next. */
export function nextStep(ground: Ground, things: readonly Thing[], random: Random): Step {
  const of = (kind: Kind) => things.filter((thing) => thing.kind === kind);
  const [projects, users, grants, providers] = [of("project"), of("user"), of("grant"), of("provider")];
  const label = `${ground.tag}-${(counter += 1)}`;
  const ungranted = users.filter((user) => !grants.some(({ parent }) => parent === user));
  const isFull = things.length > maxThings;
  const hasRoots = projects.length + users.length > 0;
  const choices: readonly [weight: number, step: () => Step][] = [
    [isFull ? 0 : 4, () => addProject(label)],
    [isFull ? 0 : 3, () => addUser(label)],
    [isFull ? 0 : 1, () => addProvider(label)],
    [ungranted.length > 0 ? 6 : 0, () => addGrant(ground, random.pick(ungranted))],
    [projects.length > 0 && !isFull ? 2 : 0, () => addRoles(label, random.pick(projects))],
    [projects.length > 0 ? 3 : 0, () => renameProject(label, random.pick(projects))],
    [users.length > 0 ? 2 : 0, () => renameUser(label, random.pick(users))],
    [grants.length > 0 ? 3 : 0, () => changeGrant(random.pick(grants))],
    [grants.length > 0 ? 2 : 0, () => removeGrant(random.pick(grants))],
    [providers.length > 0 ? 1 : 0, () => removeProvider(random.pick(providers))],
    [projects.length > 0 ? 1 : 0, () => removeWith(random.pick(projects), things)],
    // It moves the whole write-ahead log into the database, so there are not many.
    [users.length > 0 ? 0.5 : 0, () => removeWith(random.pick(users), things)],
    [isFull && hasRoots ? 6 : 0, () => removeWith(random.pick([...projects, ...users]), things)],
  ];
  let left = random.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, step] of choices) {
    left -= weight;
    if (left < 0) return step();
  }
  return addProject(label);
}

function newThing(kind: Kind, label: string, parent?: Thing): Thing {
  return { kind, label, parent, id: undefined, now: undefined, sequence: undefined };
}

function addProject(label: string): Step {
  return {
    method: "ProjectService/AddProject",
    body: { name: label },
    changes: [{ thing: newThing("project", label), after: label }],
    idField: "id",
    movesDetails: true,
  };
}

function renameProject(label: string, thing: Thing): Step {
  return {
    method: "ProjectService/UpdateProject",
    body: { id: thing.id, name: label, projectRoleCheck: true },
    changes: [{ thing, after: label }],
    movesDetails: true,
  };
}

function addRoles(label: string, parent: Thing): Step {
  const roles = Array.from({ length: 7 }, (_, index) => ({ roleKey: `${label}/${index}` }));
  const after = roles.map(({ roleKey }) => roleKey).join();
  return {
    method: "ProjectService/BulkAddProjectRoles",
    body: { projectId: parent.id, roles },
    changes: [{ thing: { ...newThing("roles", `${label}/`, parent), id: parent.id }, after }],
    movesDetails: false,
  };
}

function addUser(label: string): Step {
  return {
    method: "UserService/AddHumanUser",
    body: { username: label, givenName: "Ada", familyName: "Lovelace", email: "ada@example.com" },
    changes: [{ thing: newThing("user", label), after: `${label} Ada` }],
    idField: "userId",
    movesDetails: true,
  };
}

function renameUser(givenName: string, thing: Thing): Step {
  const { id: userId, label: username } = thing;
  return {
    method: "UserService/UpdateHumanUser",
    body: { userId, username, givenName, familyName: "Byron", email: "ada@example.com" },
    changes: [{ thing, after: `${username} ${givenName}` }],
    movesDetails: true,
  };
}

function addGrant({ projectId }: Ground, parent: Thing): Step {
  return {
    method: "UserGrantService/AddUserGrant",
    body: { userId: parent.id, projectId, roleKeys: ["a", "b"] },
    changes: [{ thing: newThing("grant", `${parent.id} ${projectId}`, parent), after: "a,b" }],
    idField: "userGrantId",
    movesDetails: true,
  };
}

function changeGrant(thing: Thing): Step {
  const roleKeys = thing.now === "a,b" ? ["b", "c"] : ["a", "b"];
  return {
    method: "UserGrantService/UpdateUserGrant",
    body: { userId: thing.parent?.id, grantId: thing.id, roleKeys },
    changes: [{ thing, after: roleKeys.join() }],
    movesDetails: true,
  };
}

function removeGrant(thing: Thing): Step {
  return {
    method: "UserGrantService/RemoveUserGrant",
    body: { userId: thing.parent?.id, grantId: thing.id },
    changes: [{ thing, after: undefined }],
    movesDetails: true,
  };
}

function addProvider(label: string): Step {
  return {
    method: "IdentityProviderService/AddOidcIdentityProvider",
    body: { name: label, clientId: "client", clientSecret: "secret", issuer: "https://idp.example.com" },
    changes: [{ thing: newThing("provider", label), after: label }],
    idField: "idpId",
    movesDetails: true,
  };
}

function removeProvider(thing: Thing): Step {
  return {
    method: "IdentityProviderService/RemoveIdentityProvider",
    body: { idpId: thing.id },
    changes: [{ thing, after: undefined }],
    movesDetails: true,
  };
}

/** Removes a project or a user, and with it what hangs on it. */
function removeWith(thing: Thing, things: readonly Thing[]): Step {
  const gone = [thing, ...things.filter(({ parent }) => parent === thing)];
  const isUser = thing.kind === "user";
  return {
    method: isUser ? "UserService/RemoveUser" : "ProjectService/RemoveProject",
    body: isUser ? { userId: thing.id } : { id: thing.id },
    changes: gone.map((each) => ({ thing: each, after: undefined })),
    movesDetails: true,
  };
}

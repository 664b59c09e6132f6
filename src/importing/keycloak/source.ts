import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type JsonFields, JsonFault, readMembers } from "../json-members.ts";
import {
  type GroupRecord,
  ImportError,
  type ProjectRecord,
  type Remark,
  remark,
  type Source,
  type UserRecord,
} from "../records.ts";
import { quote } from "../report.ts";
import { type ClientOptions, toApplication } from "./clients.ts";
import { hasServiceAccount, toServiceUser } from "./service-users.ts";
import { flagIn, objectIn, objectsIn, textIn, toObject } from "../json-fields.ts";
import { readDirectories, type RealmDirectories, toProvider } from "./providers.ts";
import { readRoles, type RealmRoles } from "./roles.ts";
import { rolesOfHolder, realmProject, toRealmUser } from "./users.ts";

/** How a realm is imported. */
export interface KeycloakOptions extends ClientOptions {
  /** The name of the source. Default: `keycloak:` and the name of the realm. */
  readonly name: string | undefined;
  /** The relying party id that security keys were registered for, which our pages have, too. Absent: none come along. */
  readonly rpId?: string | undefined;
}

/** What is read of a realm before everything else. */
interface RealmParts {
  readonly roles: RealmRoles;
  readonly directories: RealmDirectories;
}

/** Members that hold any number of people. */
const people: ReadonlySet<string> = new Set(["users", "federatedUsers"]);

/** Opens the export of a realm: one file, a folder, or the files of one. Throws ImportError. */
export async function openKeycloak(paths: readonly string[], options: KeycloakOptions): Promise<Source> {
  const files = listFiles(paths);
  const faults: Remark[] = [];
  const realm = await readRealm(files, faults);
  const name = textIn(realm, "realm");
  if (name === "") throw new ImportError("the files hold no realm: the member realm is missing");
  const roles = readRoles(realm);
  const directories = readDirectories(realm);
  return {
    name: options.name ?? `keycloak:${name}`,
    async *structure() {
      yield* faults;
      yield* listStructure(realm, { roles, directories }, options);
      const clients = objectsIn(realm, "clients").filter(hasServiceAccount);
      const accounts = clients.length === 0 ? new Map<string, JsonFields>() : await readAccounts(files);
      for (const client of clients)
        yield* toServiceUser(client, accounts.get(textIn(client, "clientId")) ?? {}, roles);
    },
    async *users() {
      for (const file of files) yield* readUsers(file, { roles, directories, rpId: options.rpId });
    },
  };
}

function listFiles(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((each) => each.endsWith(".json"));
    if (names.length === 0) throw new ImportError(`${path}: the folder has no .json file`);
    return names.toSorted().map((each) => join(path, each));
  });
}

/** Reads everything but people. */
async function readRealm(files: readonly string[], faults: Remark[]): Promise<JsonFields> {
  const realm: Record<string, unknown> = {};
  for (const file of files) {
    try {
      for await (const { name, value } of readMembers(file, (each) =>
        people.has(each) ? "nothing" : "value",
      )) {
        if (name === "realm" && (realm[name] ?? value) !== value)
          throw new ImportError(`${file}: the files are of several realms; import one after the other`);
        realm[name] = value;
      }
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      faults.push(remark(basename(file), "problem", `cannot be read to its end: ${error.message}`));
    }
  }
  return realm;
}

function* listStructure(realm: JsonFields, { roles, directories }: RealmParts, options: KeycloakOptions) {
  const where = `realm ${quote(textIn(realm, "realm"))}`;
  yield* listLeftOut(where, realm);
  const project: ProjectRecord = {
    kind: "project",
    where,
    oldId: realmProject,
    name: textIn(realm, "realm"),
    roles: roles.list.map(({ key, description }) => ({ key, displayName: description, group: "" })),
  };
  yield project;
  for (const { key } of roles.list.filter(({ parts }) => parts.length > 0))
    yield remark(where, "note", `the role ${quote(key)} is composite: its holders get the roles in it, too`);
  for (const group of objectsIn(realm, "groups")) yield* listGroups(group, roles, "");
  for (const provider of objectsIn(realm, "identityProviders")) yield toProvider(provider);
  yield* directories.found;
  const scopes = objectsIn(realm, "clientScopes");
  for (const client of objectsIn(realm, "clients"))
    yield* toApplication(`client ${quote(textIn(client, "clientId"))}`, client, options, scopes);
}

/** Users and groups name a group by its path, which becomes its name: elsewhere in a realm, others may have the last part of it. */
function* listGroups(
  group: JsonFields,
  roles: RealmRoles,
  parentPath: string,
): Generator<GroupRecord | Remark> {
  const path = `${parentPath}/${textIn(group, "name")}`;
  const where = `group ${quote(path)}`;
  const remarks: Pick<Remark, "mark" | "text">[] = [];
  const record: GroupRecord = {
    kind: "group",
    where,
    oldId: path,
    name: path.slice(1),
    description: textIn(group, "description"),
    parentOldId: parentPath,
    roles: rolesOfHolder(group, roles, remarks),
  };
  yield record;
  for (const { mark, text } of remarks) yield remark(where, mark, text);
  const attributes = Object.keys(objectIn(group, "attributes"));
  if (attributes.length > 0)
    yield remark(where, "note", `comes without the attributes ${attributes.map(quote).join(", ")}`);
  for (const inner of objectsIn(group, "subGroups")) yield* listGroups(inner, roles, path);
}

async function* readUsers(
  file: string,
  realm: Parameters<typeof toRealmUser>[2],
): AsyncIterable<UserRecord | Remark> {
  const name = basename(file);
  const elements = readMembers(file, (each) => (people.has(each) ? "elements" : "nothing"));
  try {
    for await (const { name: member, value, index } of elements) {
      const where = `${name} ${member}[${index - 1}]`;
      if (member === "federatedUsers") {
        yield remark(
          where,
          "note",
          "is left out: it is only what Keycloak keeps of a user of a user federation",
        );
        continue;
      }
      const user = toObject(value);
      const record = user && toRealmUser(where, user, realm);
      if (user === undefined) yield remark(where, "problem", "is left out: it is no object");
      else if (record !== undefined) yield record;
    }
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error; // the structure has said it
  }
}

/** Reads the users that stand for clients, by the id of the client. They stand among all others. */
async function readAccounts(files: readonly string[]): Promise<ReadonlyMap<string, JsonFields>> {
  const accounts = new Map<string, JsonFields>();
  for (const file of files) {
    try {
      for await (const { value } of readMembers(file, (each) =>
        each === "users" ? "elements" : "nothing",
      )) {
        const user = toObject(value) ?? {};
        const clientId = textIn(user, "serviceAccountClientId");
        if (clientId !== "") accounts.set(clientId, user);
      }
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error; // the structure has said it
    }
  }
  return accounts;
}

/** Parts of a realm that become nothing here, and whose absence somebody may notice. */
function listLeftOut(where: string, realm: JsonFields): readonly Remark[] {
  const what = [
    ...(flagIn(realm, "registrationAllowed")
      ? ["the registration of strangers, which the login policy allows here"]
      : []),
    ...(textIn(realm, "passwordPolicy") === "" ? [] : ["the password policy"]),
    ...(textIn(realm, "loginTheme") === "" ? [] : ["the theme; set up a branding"]),
    ...(Object.keys(objectIn(realm, "smtpServer")).length === 0
      ? []
      : ["the mail server; serve has options for one"]),
    ...(objectsIn(realm, "identityProviderMappers").length === 0
      ? []
      : ["the mappers of identity providers"]),
    ...(objectsIn(realm, "organizations").length === 0 ? [] : ["the organizations"]),
    ...(objectsIn(realm, "authenticationFlows").some((flow) => flow["builtIn"] === false)
      ? ["the authentication flows of its own"]
      : []),
  ];
  return what.map((each) => remark(where, "note", `comes without ${each}`));
}

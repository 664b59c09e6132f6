import { basename } from "node:path";
import { Secret } from "../../kernel/base/secret.ts";
import { flagIn, objectIn, textIn, textsIn, toObject } from "../json-fields.ts";
import { type JsonFields, JsonFault, type JsonMember, readMembers } from "../json-members.ts";
import {
  ImportError,
  type LinkRecord,
  type ProjectRecord,
  type ProviderRecord,
  type Remark,
  remark,
  type RoleRef,
  type Source,
} from "../records.ts";
import { quote } from "../report.ts";
import { toZitadelApplication } from "./applications.ts";
import { type OfUsers, toZitadelUser } from "./users.ts";

/** How an export of ZITADEL is imported. */
export interface ZitadelOptions {
  /** The name of the source. Default: `zitadel`. */
  readonly name: string | undefined;
  /** The id or name of the organization in the export; undefined: it has one only. */
  readonly from: string | undefined;
  readonly keepsSubjects: boolean;
}

/** Members of an organization that are about any number of users. They are read twice, and not held but for what others refer to. */
const ofUsers = ["userGrants", "userLinks", "userMetadata"] as const;
/** What comes along of an organization. */
const known: ReadonlySet<string> = new Set([
  "orgId",
  "org",
  "projects",
  "projectRoles",
  "oidcApps",
  "oidcIdps",
  "humanUsers",
  ...ofUsers,
]);

/** Opens an export of ZITADEL (ExportData of its admin API). Throws ImportError. */
export async function openZitadel(files: readonly string[], options: ZitadelOptions): Promise<Source> {
  const [file = "", ...others] = files;
  if (others.length > 0) throw new ImportError("an export of ZITADEL is one file");
  const object = await findOrganizationObject(file, options.from);
  const faults: Remark[] = [];
  async function* read(wanted: readonly string[]): AsyncIterable<JsonMember> {
    try {
      const members = readMembers(file, (name) => (wanted.includes(name) ? "elements" : "nothing"), "orgs");
      for await (const member of members) if (member.object === object) yield member;
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      const fault = remark(basename(file), "problem", `cannot be read to its end: ${error.message}`);
      if (faults.length === 0) faults.push(fault);
    }
  }
  return {
    name: options.name ?? "zitadel",
    async *structure() {
      const roles = Map.groupBy(await collect(read(["projectRoles"])), (role) => textIn(role, "projectId"));
      for await (const { value, index } of read(["projects"]))
        yield toProject(`project ${index}`, toObject(value) ?? {}, roles);
      for await (const { value } of read(["oidcIdps"])) yield toProvider(toObject(value) ?? {});
      for await (const { value } of read(["oidcApps"]))
        yield* toZitadelApplication(toObject(value) ?? {}, options);
      yield* await listOthers(file, object);
      yield* faults;
    },
    async *users() {
      const about = await collectOfUsers(read);
      for await (const { value, index } of read(["humanUsers"]))
        yield toZitadelUser(`${basename(file)} humanUsers[${index - 1}]`, toObject(value) ?? {}, about);
    },
  };
}

/** Returns the number of the organization in the file. */
async function findOrganizationObject(file: string, from: string | undefined): Promise<number> {
  const found = new Map<number, { id: string; name: string }>();
  try {
    const wanted = (name: string) => (name === "orgId" || name === "org" ? "value" : "nothing");
    for await (const { name, value, object } of readMembers(file, wanted, "orgs")) {
      const organization = found.get(object) ?? { id: "", name: "" };
      if (name === "orgId" && typeof value === "string") organization.id = value;
      if (name === "org") organization.name = textIn(toObject(value) ?? {}, "name");
      found.set(object, organization);
    }
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error; // a plan names it
  }
  const fitting = [...found].filter(([, { id, name }]) => from === undefined || from === id || from === name);
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) {
    const names = [...found.values()].map(({ id, name }) => `${id} (${quote(name)})`).join(", ");
    throw new ImportError(
      `name one organization of the file with --from; it has ${names === "" ? "none" : names}`,
    );
  }
  return only[0];
}

async function collect(members: AsyncIterable<JsonMember>): Promise<readonly JsonFields[]> {
  const all: JsonFields[] = [];
  for await (const { value } of members) all.push(toObject(value) ?? {});
  return all;
}

async function collectOfUsers(
  read: (wanted: readonly string[]) => AsyncIterable<JsonMember>,
): Promise<OfUsers> {
  const roles = new Map<string, RoleRef[]>();
  const links = new Map<string, LinkRecord[]>();
  const metadata = new Map<string, Record<string, string>>();
  for await (const { name, value } of read(ofUsers)) {
    const fields = toObject(value) ?? {};
    if (name === "userGrants")
      put(roles, textIn(fields, "userId"), {
        project: textIn(fields, "projectId"),
        roleKeys: textsIn(fields, "roleKeys"),
      });
    else if (name === "userLinks")
      put(links, textIn(fields, "userId"), {
        provider: textIn(fields, "idpId"),
        externalUserId: textIn(fields, "providedUserId"),
        externalUsername: textIn(fields, "providedUserName"),
      });
    else {
      const id = textIn(fields, "id");
      metadata.set(id, { ...metadata.get(id), [textIn(fields, "key")]: textIn(fields, "value") });
    }
  }
  return { roles, links, metadata };
}

function put<T>(all: Map<string, T[]>, id: string, one: T): void {
  all.set(id, [...(all.get(id) ?? []), one]);
}

function toProject(
  where: string,
  { projectId, ...fields }: JsonFields,
  roles: ReadonlyMap<string, readonly JsonFields[]>,
): ProjectRecord {
  const oldId = typeof projectId === "string" ? projectId : "";
  return {
    kind: "project",
    where,
    oldId,
    name: textIn(objectIn(fields, "project"), "name"),
    roles: (roles.get(oldId) ?? []).map((role) => ({
      key: textIn(role, "roleKey"),
      displayName: textIn(role, "displayName"),
      group: textIn(role, "group"),
    })),
  };
}

function toProvider(fields: JsonFields): ProviderRecord | Remark {
  const idp = objectIn(fields, "idp");
  const where = `identity provider ${quote(textIn(idp, "name"))}`;
  const secret = textIn(idp, "clientSecret");
  if (secret === "")
    return remark(where, "note", "is left out with its links: the export has no client secret");
  return {
    kind: "identity_provider",
    where,
    oldId: textIn(fields, "idpId"),
    name: textIn(idp, "name"),
    isAutoRegistered: flagIn(idp, "autoRegister"),
    config: {
      kind: "oidc",
      issuer: textIn(idp, "issuer"),
      clientId: textIn(idp, "clientId"),
      clientSecret: new Secret(secret),
      scopes: textsIn(idp, "scopes"),
    },
  };
}

/** Names what else an organization has. */
async function listOthers(file: string, object: number): Promise<readonly Remark[]> {
  const others = new Set<string>();
  try {
    const wanted = (name: string) => (known.has(name) ? "nothing" : "elements");
    for await (const member of readMembers(file, wanted, "orgs"))
      if (member.object === object) others.add(member.name);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error; // it was said before
  }
  return [...others].map((name) => remark(basename(file), "note", `${quote(name)} does not come along`));
}

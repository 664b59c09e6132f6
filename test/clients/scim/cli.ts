import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** What the commands print of a resource, or of a list of them. */
interface Printed {
  readonly id?: string;
  readonly userName?: string;
  readonly active?: boolean;
  readonly totalResults?: number;
  readonly Resources?: readonly { readonly id: string }[];
  readonly Operations?: readonly { readonly status: string }[];
}

const userUri = "urn:ietf:params:scim:schemas:core:2.0:User";

/**
 * Lets scim2-cli, which checks every answer against the schemas of the service, add a user and a group, change, find and remove them. Throws
 * when it refuses an answer, or one says something else than was asked for.
 */
export function judgeByCli(
  bin: string,
  { url, token }: { readonly url: string; readonly token: string },
): void {
  const run = (args: readonly string[], input?: object): Printed => {
    const environment = { PATH: process.env["PATH"], SCIM_CLI_HEADERS: `Authorization: Bearer ${token}` };
    const text = execFileSync(join(bin, "scim2"), ["--url", url, ...args], {
      env: environment,
      encoding: "utf8",
      input: input === undefined ? "" : JSON.stringify(input),
      stdio: ["pipe", "pipe", "inherit"],
    });
    return JSON.parse(text.trim() === "" ? "{}" : text) as Printed; // it prints nothing else
  };
  const check = (what: string, isSo: boolean): void => {
    if (!isSo) throw new Error(`scim2-cli: ${what}`);
  };
  const person = {
    schemas: [userUri],
    userName: "grace",
    name: { givenName: "Grace", familyName: "Hopper" },
    emails: [{ value: "grace@example.com", type: "work", primary: true }],
  };
  const { id = "" } = run(["create", "user"], person);
  check("a user is added", id !== "");
  const idsOf = ({ Resources = [] }: Printed) => Resources.map((each) => each.id);
  const group = run(["create", "group"], {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    displayName: "Compilers",
    members: [{ value: id }],
  });
  check("a user is read", run(["query", "user", id]).userName === "grace");
  check("a user is changed", run(["modify", "user", id, "replace", "active", "false"]).active === false);
  const replaced = run(["replace", "user"], { ...person, id, active: true, title: "Admiral" });
  check("a user is replaced", replaced.active === true);
  const found = run(["search", "user", "--filter", 'title eq "Admiral"']);
  check("a user is found", idsOf(found).join() === id);
  const all = run(["search", "--filter", `id eq "${id}" or displayName eq "compilers"`]);
  check("all types are searched", idsOf(all).join() === `${id},${group.id ?? ""}`);
  const { Operations = [] } = run(["bulk"], {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations: [
      { method: "DELETE", path: `/Groups/${group.id ?? ""}` },
      { method: "POST", path: "/Users", bulkId: "one", data: { ...person, userName: "ada" } },
    ],
  });
  check("bulk requests are done", Operations.map(({ status }) => status).join() === "204,201");
  run(["delete", "user", id]);
  check("a user is removed", run(["search", "user", "--filter", `id eq "${id}"`]).totalResults === 0);
  console.log("scim2-cli: 9 requests were answered as it wants");
}

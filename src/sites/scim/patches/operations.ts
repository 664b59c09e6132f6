import { refusal } from "../errors/scim-error.ts";
import { isMembers, type Json, type JsonMembers, plainTextOf } from "../schemas/resource.ts";

/** One change of a PATCH. */
export interface PatchOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string | undefined;
  readonly value: Json | undefined;
}

const maxOperations = 1000;

/** Reads the operations of a PATCH (RFC 7644 §3.5.2). Microsoft Entra writes them with a capital letter. Raises invalidSyntax. */
export function readOperations(body: JsonMembers): readonly PatchOperation[] {
  const key = Object.keys(body).find((name) => name.toLowerCase() === "operations");
  const listed = key === undefined ? undefined : body[key];
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > maxOperations)
    throw refusal("invalidSyntax", `Operations must be a list of 1 to ${maxOperations} operations`);
  return listed.map((each) => {
    if (!isMembers(each)) throw refusal("invalidSyntax", "an operation must be an object");
    const op = plainTextOf(each["op"])?.toLowerCase();
    if (op !== "add" && op !== "remove" && op !== "replace")
      throw refusal("invalidSyntax", "op must be add, remove or replace");
    const { path } = each;
    if (path !== undefined && path !== null && typeof path !== "string")
      throw refusal("invalidPath", "path must be a text");
    return { op, path: path === null || path === "" ? undefined : path, value: each["value"] };
  });
}

import { describe, expect, test } from "@jest/globals";
import {
  create,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type WriteItem,
  WriteItemSchema,
  WriteResultSchema,
} from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { AddMembershipRequestSchema } from "../../../../../gen/gatehouse/v1/membership_service_pb.ts";
import {
  AddProjectResponseSchema,
  UpdateProjectRequestSchema,
  UpdateProjectResponseSchema,
} from "../../../../../gen/gatehouse/v1/project_service_pb.ts";
import { BulkRemoveUserGrantsRequestSchema } from "../../../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { createReferences, isIdField } from "../../../../../src/sites/rpc/calls/batch/references.ts";

const item = (init: MessageInitShape<typeof WriteItemSchema>): WriteItem => create(WriteItemSchema, init);
const items = (...names: readonly string[]) => names.map((bulkId) => item({ bulkId }));

function problemOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** Texts whose names end like an id, and that other systems give. */
const othersIds = new Set([
  "client_id",
  "entity_id",
  "external_id",
  "imported_id",
  "team_id",
  "private_key_id",
]);

function textsIn(
  message: DescMessage,
  depth = 0,
): readonly { readonly field: DescField; readonly depth: number }[] {
  return message.fields.flatMap((field) => {
    if (field.message?.name === "Invite") return []; // no item of a batch has one
    if (field.message !== undefined)
      return field.message.typeName.startsWith("gatehouse.") ? textsIn(field.message, depth + 1) : [];
    return field.scalar === ScalarType.STRING ? [{ field, depth }] : [];
  });
}

const nameOf = ({ field }: { readonly field: DescField }) => `${field.parent.typeName}.${field.name}`;

const requests = WriteItemSchema.oneofs.flatMap(({ fields }) =>
  fields.flatMap(({ message }) => message ?? []),
);

describe("the fields that hold ids", () => {
  const texts = requests.flatMap((message) => textsIn(message));

  test("are those whose names end so, but for ids of others", () => {
    const named = texts.filter(({ field }) => /(?:^|_)ids?$/.test(field.name) && !othersIds.has(field.name));
    const found = texts.filter(({ field }) => isIdField(field));
    expect(found.map(nameOf)).toEqual(named.map(nameOf));
    expect(found.length).toBeGreaterThan(50);
  });

  test("are all fields of the request itself, where references are looked for", () => {
    expect(texts.filter(({ field, depth }) => isIdField(field) && depth > 0).map(nameOf)).toEqual([]);
  });

  test("is one of each answer that says what was made: the first", () => {
    const answers = WriteResultSchema.fields.filter(({ name }) => /^(?:add|create)_/.test(name));
    const ids = answers.map(({ name, message }) => [name, message?.fields.filter(isIdField).length]);
    // A role is named by its key, members by the group and what they are, and an offered provider by itself.
    const without = new Set(["add_project_role", "add_group_members", "add_idp_to_login_policy"]);
    const expected = answers.map(({ name }) => [name, without.has(name) ? 0 : 1]);
    expect(ids).toEqual(expected);
  });
});

describe("references", () => {
  const made = (bulkId: string, id: string) => {
    const references = createReferences(items(bulkId, "other"));
    references.made(item({ bulkId }), AddProjectResponseSchema, create(AddProjectResponseSchema, { id }));
    return references;
  };

  test("become ids in place, in texts, lists and oneofs; other values stay", () => {
    const references = made("p", "17");
    const update = create(UpdateProjectRequestSchema, { id: "bulkId:p", name: "bulkId:p" });
    references.resolve(UpdateProjectRequestSchema, update);
    expect(update).toMatchObject({ id: "17", name: "bulkId:p" });
    const remove = create(BulkRemoveUserGrantsRequestSchema, { grantIds: ["1", "bulkId:p", "xbulkId:p"] });
    references.resolve(BulkRemoveUserGrantsRequestSchema, remove);
    expect(remove.grantIds).toEqual(["1", "17", "xbulkId:p"]);
    const add = create(AddMembershipRequestSchema, {
      userId: "2",
      scope: { case: "projectId", value: "bulkId:p" },
    });
    references.resolve(AddMembershipRequestSchema, add);
    expect(add).toMatchObject({ userId: "2", scope: { case: "projectId", value: "17" } });
  });

  test("are refused with the path of their field", () => {
    const references = made("p", "17");
    const remove = create(BulkRemoveUserGrantsRequestSchema, { grantIds: ["1", "bulkId:p", "bulkId:q"] });
    expect(problemOf(() => references.resolve(BulkRemoveUserGrantsRequestSchema, remove))).toMatchObject({
      reason: "FIELD_INVALID",
      violations: [expect.objectContaining({ field: "grant_ids[2]" })],
    });
    expect(problemOf(() => references.resolveValue("bulkId:other", "x"))).toMatchObject({
      violations: [{ field: "x", description: "must name the bulk_id of an earlier item" }],
    });
  });

  test("to an item that failed say so, and to one that made nothing with an id, too", () => {
    const references = createReferences(items("a", "b"));
    references.failed(item({ bulkId: "a" }));
    references.made(item({ bulkId: "b" }), UpdateProjectResponseSchema, create(UpdateProjectResponseSchema));
    expect(problemOf(() => references.resolveValue("bulkId:a", "x"))).toMatchObject({
      reason: "BATCH_ITEM_FAILED",
      metadata: { bulk_id: "a" },
    });
    expect(problemOf(() => references.resolveValue("bulkId:b", "x"))).toMatchObject({
      violations: [{ field: "x", description: "must name an item that makes an object with an id" }],
    });
  });

  test("to nothing are not to the items without a name", () => {
    const references = createReferences(items("", "", "a"));
    references.failed(item({ bulkId: "" }));
    references.made(
      item({ bulkId: "" }),
      AddProjectResponseSchema,
      create(AddProjectResponseSchema, { id: "1" }),
    );
    expect(problemOf(() => references.resolveValue("bulkId:", "x"))).toMatchObject({
      reason: "FIELD_INVALID",
    });
  });

  test("by a name that two items have are refused before anything is done", () => {
    expect(problemOf(() => createReferences(items("a", "", "", "a", "b", "a")))).toMatchObject({
      violations: [
        { field: "items[3].bulk_id", description: "is the bulk_id of an earlier item" },
        { field: "items[5].bulk_id", description: "is the bulk_id of an earlier item" },
      ],
    });
  });
});

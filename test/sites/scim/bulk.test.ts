import { afterAll, expect, it } from "@jest/globals";
import { startService } from "../../support/service.ts";
import { uniqueName } from "../../support/world.ts";
import { createDirectory, person, type ScimAnswer } from "./support/scim.ts";

const service = await startService();
const directory = await createDirectory(service);
afterAll(() => service.stop());

const bulk = (Operations: readonly unknown[], more = {}) =>
  directory.send("POST", "/Bulk", {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
    Operations,
    ...more,
  });

const statusesOf = ({ body }: ScimAnswer) =>
  (body["Operations"] as readonly { readonly status: string }[]).map(({ status }) => status);

const addUser = (bulkId?: string, data: object = person()) => ({
  method: "POST",
  path: "/Users",
  bulkId,
  data,
});

it("does each operation by itself, and resolves names in any order", async () => {
  const group = { displayName: uniqueName("Bulk"), members: [{ value: "bulkId:ada" }] };
  const answer = await bulk([
    { method: "POST", path: "/Groups", bulkId: "g", data: group },
    addUser("ada"),
    addUser("bad", { userName: "nobody" }),
    {
      method: "PATCH",
      path: "/Users/bulkId:ada",
      data: { Operations: [{ op: "add", path: "title", value: "Boss" }] },
    },
    { method: "DELETE", path: "/Users/99" },
    { method: "POST", path: "/Groups", data: { displayName: "x", members: [{ value: "bulkId:bad" }] } },
    { method: "GET", path: "/Users/1" },
    { method: "POST", path: "/Nothing", data: {} },
  ]);
  expect(statusesOf(answer)).toEqual(["201", "201", "400", "200", "404", "409", "400", "404"]);
  const [made, ada] = answer.body["Operations"] as readonly {
    readonly location: string;
    readonly bulkId: string;
  }[];
  expect(ada).toMatchObject({ method: "POST", bulkId: "ada", version: expect.stringMatching(/^W\//) });
  const id = made?.location.split("/").at(-1);
  const { body } = await directory.send("GET", `/Groups/${id}`);
  expect(body["members"]).toEqual([expect.objectContaining({ value: ada?.location.split("/").at(-1) })]);
});

it("stops after as many failures as the client allows", async () => {
  const answer = await bulk([addUser("1", {}), addUser("2"), addUser("3", {}), addUser("4")], {
    failOnErrors: 2,
  });
  expect(statusesOf(answer)).toEqual(["400", "201", "400"]);
});

it("compares versions, and refuses what waits for itself", async () => {
  const id = await directory.addUser();
  const circle = (own: string, other: string) => ({
    method: "POST",
    path: "/Groups",
    bulkId: own,
    data: { displayName: uniqueName("Circle"), members: [{ value: `bulkId:${other}` }] },
  });
  const remove = { method: "DELETE", path: `/Users/${id}`, version: 'W/"other"' };
  expect(statusesOf(await bulk([remove, circle("a", "b"), circle("b", "a")]))).toEqual(["412", "409", "409"]);
});

it("has limits", async () => {
  expect((await bulk(Array.from({ length: 1001 }, () => addUser()))).status).toBe(413);
  expect((await bulk([addUser("1", { ...person(), title: "x".repeat(1_048_576) })])).status).toBe(413);
  expect((await bulk([addUser("1"), addUser("1")])).body.scimType).toBe("invalidSyntax");
  expect((await bulk([], { failOnErrors: 0 })).body.scimType).toBe("invalidValue");
  expect((await directory.send("GET", "/Bulk")).status).toBe(405);
});

it("lets nobody do in bulk what they may not do", async () => {
  const viewer = await createDirectory(service, { ...directory, role: "ORGANIZATION_VIEWER" });
  const answer = await viewer.send("POST", "/Bulk", { Operations: [addUser("1")] });
  expect(statusesOf(answer)).toEqual(["403"]);
});

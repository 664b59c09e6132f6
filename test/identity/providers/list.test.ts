import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import {
  createIdentityProviderCommands,
  type IdentityProviderCommands,
} from "../../../src/identity/providers/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { identityProviderSettings, jwtConfig, oidcConfig } from "../../support/samples.ts";

const jwt = jwtConfig();
const named = (name: string) => identityProviderSettings({ name });

let fixture: FeatureFixture;
let commands: IdentityProviderCommands;
let call: Call;

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createIdentityProviderCommands(fixture.context);
});

beforeEach(async () => {
  call = callAs(await fixture.addOrganization());
});

afterAll(() => fixture.close());

async function list(
  input: {
    call?: Call;
    filter?: Partial<Parameters<IdentityProviderCommands["list"]>[1]>;
    page?: Partial<PageRequest>;
  } = {},
) {
  const filter = { name: "", state: undefined, ...input.filter };
  const page = { pageSize: 0, pageToken: "", countTotal: true, ...input.page };
  const answer = await commands.list(input.call ?? call, filter, page);
  return {
    items: answer.page.items,
    names: answer.page.items.map(({ name }) => name),
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

describe("list", () => {
  test("gives the providers of the organization as get does, oldest first, and counts them", async () => {
    const ids = [];
    for (const name of ["C", "A", "B"])
      ids.push((await commands.add(call, named(name), name === "A" ? oidcConfig("s") : jwt)).id);
    await commands.add(callAs(await fixture.addOrganization()), named("D"), jwt);
    const { items, total } = await list();
    expect(items).toEqual(await Promise.all(ids.map((id) => commands.get(call, id))));
    expect(total).toBe(3);
  });

  test("is narrowed by name, compared as unique names are, and by state", async () => {
    for (const name of ["A", "B", "C"]) {
      const { id } = await commands.add(call, named(name), jwt);
      await (name === "B" ? commands.deactivate(call, id) : commands.reactivate(call, id));
    }
    expect(await list({ filter: { name: " b " } })).toMatchObject({ names: ["B"], total: 1 });
    expect(await list({ filter: { state: "ACTIVE" } })).toMatchObject({ names: ["A", "C"], total: 2 });
    expect(await list({ filter: { state: "INACTIVE" } })).toMatchObject({ names: ["B"], total: 1 });
    expect(await list({ filter: { name: "A", state: "INACTIVE" } })).toMatchObject({ names: [], total: 0 });
    expect(await list({ filter: { name: "D" } })).toMatchObject({ names: [], total: 0 });
  });

  test("is read page by page, with tokens that are good for nothing else", async () => {
    const names = ["A", "B", "C", "D", "E"];
    for (const name of names) await commands.add(call, named(name), jwt);
    const first = await list({ page: { pageSize: 2 } });
    const second = await list({ page: { pageSize: 2, pageToken: first.next } });
    const third = await list({ page: { pageSize: 2, pageToken: second.next } });
    expect([...first.names, ...second.names, ...third.names]).toEqual(names);
    expect([third.next, third.total]).toEqual(["", 5]);
    for (const input of [
      { filter: { name: "A" } },
      { filter: { state: "ACTIVE" as const } },
      { call: callAs(await fixture.addOrganization()) },
    ])
      await expect(list({ ...input, page: { pageToken: first.next } })).rejects.toMatchObject({
        reason: "PAGE_TOKEN_INVALID",
      });
  });

  test("says up to which event it is true, and counts only when asked to", async () => {
    const { details } = await commands.add(call, named("A"), jwt);
    expect(await list({ page: { countTotal: false } })).toMatchObject({
      sequence: details.sequence,
      total: undefined,
    });
  });
});

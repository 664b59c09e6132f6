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
});

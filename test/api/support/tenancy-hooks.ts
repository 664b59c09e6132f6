import type { JsonObject } from "@bufbuild/protobuf";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import type { Prepare } from "./tenancy-looks.ts";

const { addHook, addHookSecret, deactivateHook, getHook, listHooks, removeHook } = HookService.method;

/** The ids of a hook, and of what it has. */
export interface HookObjects {
  readonly hook: string;
  /** The first one of two. */
  readonly hook_secret: string;
}

/** Makes a hook with two signing secrets, or with one, that no login asks. */
export async function createHook(
  service: TestService,
  organization: string,
  { name = uniqueName("Hook"), secrets = 2 }: { readonly name?: string; readonly secrets?: 1 | 2 } = {},
): Promise<HookObjects> {
  const inside = createCaller(service, organization);
  const settings = { url: "https://hooks.example.com/events", kind: HookKind.AFTER_EXTERNAL_LOGIN };
  const hookId = idOf(await inside(addHook, { name, ...settings }), "hookId");
  await inside(deactivateHook, { hookId });
  if (secrets === 2) await inside(addHookSecret, { hookId });
  const { hook } = await inside(getHook, { hookId });
  const [secret] = (hook as JsonObject)["signingSecrets"] as JsonObject[]; // the answer has them
  return { hook: hookId, hook_secret: idOf(secret ?? {}, "id") };
}

/** The beginning of the names of all hooks that cells make; those of the world have another one. */
const ofCells = "Cell of ";

/**
 * An organization has 20 hooks at most, so those that the cells of other rpcs left behind go: those cells are over. Cells of the
 * same rpc run at the same time, and keep theirs. Gives a name for one more.
 */
const withRoom: Prepare = async ({ world: { service, organizations }, rpc, target, caller }) => {
  const stem = `${ofCells}${rpc.name} `;
  await inTurn(async () => {
    for (const id of new Set([target.parent.organization, organizations[caller.home]])) {
      const inside = createCaller(service, id);
      const { hooks } = await inside(listHooks, { pageSize: 100 });
      for (const hook of hooks as JsonObject[]) {
        const name = idOf(hook, "name");
        if (name.startsWith(ofCells) && !name.startsWith(stem))
          await inside(removeHook, { hookId: idOf(hook, "id") });
      }
    }
  });
  return { fields: { name: uniqueName(stem) } };
};

/** Two cells must not remove the same hook. */
function inTurn(run: () => Promise<void>): Promise<void> {
  const done = turns.then(run);
  turns = done.catch(() => undefined);
  return done;
}
let turns: Promise<void> = Promise.resolve();

/** A hook of its own. */
const withHook: Prepare = async (asked) => {
  const { world, rpc, target } = asked;
  const { fields } = await withRoom(asked);
  const made = await createHook(world.service, target.parent.organization, {
    name: uniqueName(`${ofCells}${rpc.name} `),
    secrets: rpc.name === "AddHookSecret" ? 1 : 2,
  });
  return { fields: { ...fields, hook_id: made.hook, secret_id: made.hook_secret } };
};

/** What calls about hooks use up, and add. */
export const ofHooks: Readonly<Record<string, Prepare>> = {
  AddHook: withRoom,
  UpdateHook: withHook,
  DeactivateHook: withHook,
  ReactivateHook: withHook,
  RemoveHook: withHook,
  AddHookSecret: withHook,
  RemoveHookSecret: withHook,
};

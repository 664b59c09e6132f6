import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { decideMembers } from "../../directories/member-changes.ts";
import { listGroupsOfHook } from "../../groups/sourced-repository.ts";
import { maxMetadataKeys, removeMetadata, setMetadata } from "../../metadata/metadata.ts";
import { countMetadata, readMetadata } from "../../metadata/repository.ts";
import type { HookedIdentity, ProfileChanges } from "../../people/identity-links/external-identity.ts";
import type { HumanUser } from "../../people/user/user.ts";
import type { HookSession } from "./ask-hooks.ts";
import type { Hook } from "../hook/hook.ts";
import { listHooksToCall } from "../hook/repository.ts";

/** Returns the names that hooks give a person: of two that name one, the later counts. */
export function toHookedProfile(hooked: readonly HookedIdentity[] = []): ProfileChanges {
  const changes = hooked.flatMap(({ profile = {} }) => Object.entries(profile));
  return Object.fromEntries(changes.filter(([, value]) => value !== undefined));
}

/**
 * Decides what hooks make of a user after a login at a provider: metadata of the keys that they may set, and the members of groups whose
 * source they are. A hook that is gone meanwhile makes nothing. The user may be new.
 */
export async function followHooks(
  tx: ReadTransaction,
  { instanceId }: Pick<HookSession, "instanceId">,
  {
    hooked = [],
    user,
  }: {
    readonly hooked: readonly HookedIdentity[] | undefined;
    readonly user: Pick<HumanUser, "id" | "details">;
  },
): Promise<readonly NewEvent[]> {
  if (hooked.length === 0) return [];
  const organizationId = user.details.resourceOwner;
  const present = await listHooksToCall(tx, "AFTER_EXTERNAL_LOGIN", [instanceId, organizationId]);
  const known = hooked.flatMap((changes) => {
    const hook = present.find(({ id }) => id === changes.hookId);
    return hook === undefined ? [] : [{ hook, changes }];
  });
  const events = [...(await decideMetadata(tx, user, known))];
  for (const { hook, changes } of known)
    if (changes.groups !== undefined) events.push(...(await decideGroups(tx, user, hook, changes.groups)));
  return events;
}

/** A hook whose changes count, and these. */
interface KnownChanges {
  readonly hook: Hook;
  readonly changes: HookedIdentity;
}

/** Keys beyond the limit of a user are left out: nobody is shut out by them. */
async function decideMetadata(
  tx: ReadTransaction,
  user: Pick<HumanUser, "id" | "details">,
  known: readonly KnownChanges[],
): Promise<readonly NewEvent[]> {
  const wanted = new Map(
    known.flatMap(({ hook, changes: { metadata = {} } }) =>
      Object.entries(metadata).filter(([key]) => hook.metadataKeys.includes(key)),
    ),
  );
  if (wanted.size === 0) return [];
  const object = { kind: "user", id: user.id, details: user.details } as const;
  const stored = await readMetadata(tx, user, [...wanted.keys()]);
  const storedKeys = new Set(stored.map(({ key }) => key));
  const gone = [...storedKeys].filter((key) => wanted.get(key) === null);
  const count = await countMetadata(tx, user);
  let room = maxMetadataKeys - count + gone.length;
  const items = [...wanted].flatMap(([key, value]) => {
    if (value === null || (!storedKeys.has(key) && room-- <= 0)) return [];
    return [{ key, value: Buffer.from(value) }];
  });
  const kept = stored.filter(({ key }) => items.some((item) => item.key === key));
  return [
    ...gone.map((key) => removeMetadata(object, key)),
    ...setMetadata(object, items, { stored: kept, count: count - gone.length }),
  ];
}

/** The user is in exactly those of the groups with the hook as source that it names. */
async function decideGroups(
  tx: ReadTransaction,
  { id: userId, details }: Pick<HumanUser, "id" | "details">,
  hook: Hook,
  named: readonly string[],
): Promise<readonly NewEvent[]> {
  const groups = (await listGroupsOfHook(tx, hook.id)).filter(
    ({ organizationId }) => organizationId === details.resourceOwner,
  );
  const names = new Set(named.filter((name) => name !== ""));
  const meant = groups.filter(({ id, externalId }) => names.has(id) || names.has(externalId));
  const groupIds = meant.map(({ id }) => id);
  return await decideMembers(tx, new Map([["", groups]]), [{ userId, groupIds }]);
}

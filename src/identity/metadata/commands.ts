import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../kernel/base/details.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { holdsOnOrganization } from "../../kernel/base/permission.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { MetadataKind } from "../../kernel/events/payloads.ts";
import { getApplication } from "../applications/repository.ts";
import { change, type FeatureContext, requireTarget, write } from "../context.ts";
import { getGroup } from "../groups/repository.ts";
import { type ListedPage, readList } from "../list.ts";
import { getOrganization } from "../organizations/repository.ts";
import { getUser } from "../people/user/repository.ts";
import { getProject } from "../projects/repository.ts";
import { remove, type Removal } from "../removal.ts";
import {
  isOpenToSelf,
  type Metadata,
  type MetadataItem,
  metadataNotFound,
  type MetadataObject,
  removeMetadata,
  setMetadata,
} from "./metadata.ts";
import {
  applicationMetadataList,
  countMetadata,
  getMetadata,
  groupMetadataList,
  type ListedMetadata,
  organizationMetadataList,
  projectMetadataList,
  readMetadata,
  userMetadataList,
} from "./repository.ts";

/** The object whose metadata a call is about, as its request names it. */
export type MetadataObjectName =
  | { readonly kind: Exclude<MetadataKind, "application">; readonly id: string }
  | { readonly kind: "application"; readonly id: string; readonly projectId: string };

/** The use cases of metadata, the same for every kind of object. All raise NOT_FOUND if the object does not exist. */
export interface MetadataCommands {
  /** Sets a key, and returns its details. Raises LIMIT_REACHED; NOT_FOUND with `if-match` without the key. Harmless to repeat. */
  set(call: Call, of: MetadataObjectName, item: MetadataItem): Promise<Details>;
  /** Sets keys, and leaves others as they are; returns the details of the object. Raises LIMIT_REACHED. Harmless to repeat. */
  setAll(call: Call, of: MetadataObjectName, items: readonly MetadataItem[]): Promise<Details>;
  /** Raises NOT_FOUND for a key that the object does not have, or that users cannot read of themselves. */
  get(call: Call, of: MetadataObjectName, key: string): Promise<Metadata>;
  /** Lists the keys that the caller may read. Raises PAGE_TOKEN_INVALID. */
  list(call: Call, of: MetadataObjectName, page: PageRequest): Promise<ListedPage<ListedMetadata>>;
  /** Raises NOT_FOUND for a key that the object does not have. */
  remove(call: Call, of: MetadataObjectName, key: string): Promise<Removal>;
}

/** Creates the commands of metadata. */
export function createMetadataCommands(context: FeatureContext): MetadataCommands {
  return {
    set: (begun, of, item) =>
      write(context, begun, async ({ tx, call, append }) => {
        const object = await getObject(tx, call, of);
        const [stored] = await readMetadata(tx, object, [item.key]);
        if (stored !== undefined) requireTarget(call, stored);
        else if (call.requireMatch !== undefined) throw metadataNotFound(object, item.key);
        const events = await decideSet(tx, object, [item]);
        if (stored !== undefined && events.length === 0) return stored.details;
        const date = await append(events);
        return stored === undefined
          ? createdDetails(date, object.details.resourceOwner)
          : changedDetails(stored.details, date);
      }),
    setAll: (begun, of, items) =>
      change(context, begun, {
        load: ({ tx, call }) => getObject(tx, call, of),
        decide: (object, { tx }) => decideSet(tx, object, items),
      }),
    get: (call, of, key) =>
      context.database.read(async (tx) => {
        const object = await getObject(tx, call, of);
        if (isOnlySelf(call, object) && !isOpenToSelf(key)) throw metadataNotFound(object, key);
        return await getMetadata(tx, object, key);
      }),
    list: (call, of, page) =>
      context.database.read(async (tx) => {
        const object = await getObject(tx, call, of);
        const asked = { object, isSelf: isOnlySelf(call, object) };
        return await readList(context, tx, { list: lists[of.kind], call, asked, page });
      }),
    remove: (begun, of, key) =>
      remove(context, begun, {
        async load({ tx, call }) {
          const object = await getObject(tx, call, of);
          return { object, details: (await getMetadata(tx, object, key)).details };
        },
        decide: ({ object }) => [removeMetadata(object, key)],
      }),
  };
}

async function decideSet(
  tx: ReadTransaction,
  object: MetadataObject,
  items: readonly MetadataItem[],
): Promise<readonly NewEvent[]> {
  const keys = items.map(({ key }) => key);
  const stored = await readMetadata(tx, object, keys);
  return setMetadata(object, items, { stored, count: await countMetadata(tx, object) });
}

const lists = {
  user: userMetadataList,
  organization: organizationMetadataList,
  project: projectMetadataList,
  application: applicationMetadataList,
  group: groupMetadataList,
};

/** Finds the object where the call has access. Raises NOT_FOUND. */
async function getObject(
  tx: ReadTransaction,
  { access }: Call,
  of: MetadataObjectName,
): Promise<MetadataObject> {
  const { id, details } = await find();
  return { kind: of.kind, id, details };

  async function find(): Promise<{ readonly id: string; readonly details: Details }> {
    switch (of.kind) {
      case "user":
        return await getUser(tx, access.organizationId, of.id);
      case "organization":
        return await getOrganization(tx, of.id);
      case "project":
        return await getProject(tx, access, of.id);
      case "application":
        return await getApplication(tx, access, { projectId: of.projectId, applicationId: of.id });
      case "group":
        return await getGroup(tx, access.organizationId, of.id);
    }
  }
}

/** Says whether the caller reads by being the user, without the permission. */
function isOnlySelf({ caller }: Call, { kind, details }: MetadataObject): boolean {
  const organizationId = details.resourceOwner as OrganizationId; // users belong to organizations
  return kind === "user" && !holdsOnOrganization(caller.held, "user.read", organizationId);
}

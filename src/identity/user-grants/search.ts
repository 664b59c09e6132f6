import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { toWords } from "../../kernel/base/names/words.ts";
import { type Cursor, type PageRequest, readSealedPage, type Slice } from "../../kernel/base/paging.ts";
import { scopesWithPermission } from "../../kernel/base/permission.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { FeatureContext } from "../context.ts";
import type { ListedPage } from "../list.ts";
import { listOrganizationsOfUsers } from "../people/user/repository.ts";
import { searchedUsers } from "../people/user/search-repository.ts";
import { searchedProjects } from "../projects/search-repository.ts";
import { manyHits } from "../search/find.ts";
import { listFirstEntries, listWhole } from "../search/word-repository.ts";
import { type UserGrantFilter, userGrantList } from "./list-repository.ts";
import type { UserGrant } from "./user-grant.ts";

const readAtOnce = 500;
/** So many grants are looked at for one page, of which few may fit. */
const maxLooked = 4000;

/**
 * Reads one page of the grants that a text finds: each of its words begins a word of the name of the project, of a role key or, where
 * the caller may read the user, of what users are found by. A page may hold fewer than were asked for though more follow. Raises
 * PAGE_TOKEN_INVALID.
 */
export async function searchUserGrants(
  context: Pick<FeatureContext, "keyring">,
  tx: ReadTransaction,
  asking: {
    readonly call: Call;
    readonly filter: UserGrantFilter;
    readonly text: string;
    readonly page: PageRequest;
  },
): Promise<ListedPage<UserGrant>> {
  const { call, filter, text, page } = asking;
  const asked = { access: call.access, filter };
  const { organizationId } = call.access;
  const choose = createChoice(tx, call, text);
  const cursorAt = (grant: UserGrant | undefined): Cursor | undefined =>
    grant && { date: userGrantList.dateOf(asked, grant) ?? grant.details.creationDate, id: grant.id };
  const read = async (position: Cursor | undefined, size: number): Promise<Slice<Cursor, UserGrant>> => {
    const items: UserGrant[] = [];
    let after = position;
    for (let looked = 0; looked < maxLooked; looked += readAtOnce) {
      const grants = await userGrantList.read(tx, asked, { after, limit: readAtOnce });
      for (const grant of await choose(grants)) {
        if (items.length === size) return { items, next: cursorAt(items.at(-1)) };
        items.push(grant);
      }
      if (grants.length < readAtOnce) return { items, next: undefined };
      after = cursorAt(grants.at(-1));
    }
    return { items, next: after };
  };
  return {
    sequence: await processedSequence(tx),
    page: await readSealedPage<Cursor, UserGrant>(context.keyring, page, {
      key: [userGrantList.name, organizationId, ...userGrantList.keyOf(asked, organizationId), text],
      read,
      count: async () => {
        const { items, next } = await read(undefined, manyHits);
        return { total: items.length, isLowerBound: next !== undefined };
      },
    }),
  };
}

/** Creates a function that leaves out the grants that the text does not find. */
function createChoice(tx: ReadTransaction, call: Call, text: string) {
  const users = searchedUsers.toSearch(text, undefined);
  const projects = searchedProjects.toSearch(text, undefined);
  return async (grants: readonly UserGrant[]): Promise<readonly UserGrant[]> => {
    const userIds = await listReadable(tx, call, new Set(grants.map(({ userId }) => userId)));
    const projectIds = [...new Set(grants.map(({ projectId }) => projectId))];
    const ofUsers = (range: (typeof users.words)[number]) =>
      listFirstEntries(tx, users.table, { ids: userIds, range });
    const ofProjects = (range: (typeof users.words)[number]) =>
      listFirstEntries(tx, projects.table, { ids: projectIds, range });
    const whole = new Set<string>();
    for (const id of await listWhole(tx, users.whole, userIds)) whole.add(id);
    for (const id of await listWhole(tx, projects.whole, projectIds)) whole.add(id);
    let left = users.words.length === 0 ? [] : grants;
    for (const range of users.words) {
      const [having, named] = [await ofUsers(range), await ofProjects(range)];
      left = left.filter(
        ({ userId, projectId, roleKeys }) =>
          having.has(userId) ||
          named.has(projectId) ||
          roleKeys.some((key) => toWords(key).some((word) => word.startsWith(range.from))),
      );
    }
    const found = new Set(left);
    return grants.filter(
      (grant) => found.has(grant) || whole.has(grant.userId) || whole.has(grant.projectId),
    );
  };
}

/** Returns those of the users that the caller may read. */
async function listReadable(
  tx: ReadTransaction,
  call: Call,
  ids: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { isInstance, organizations } = scopesWithPermission(call.caller.held, "user.read");
  if (isInstance || ids.size === 0) return [...ids];
  const readable = new Set(organizations);
  const users = await listOrganizationsOfUsers(tx, [...ids]);
  return users.flatMap(({ id, organizationId }) => (readable.has(organizationId) ? [id] : []));
}

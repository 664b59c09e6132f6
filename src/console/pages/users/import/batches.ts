import type { MessageInitShape } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type {
  WriteItemSchema,
  WriteResult,
} from "../../../../../gen/console/gatehouse/v1/batch_service_pb.ts";
import { ErrorInfoSchema } from "../../../../../gen/console/google/rpc/error_details_pb.ts";
import type { Person, Remark } from "./people.ts";

type Item = MessageInitShape<typeof WriteItemSchema>;

/** Ids of the objects that people of a file belong to, by the names in the file; undefined for those that do not exist. */
export interface KnownNames {
  readonly groups: ReadonlyMap<string, string | undefined>;
  readonly projects: ReadonlyMap<string, string | undefined>;
}

/** A part of what makes a person: `remark` is said if it fails, and the person comes without it. */
interface Part {
  readonly item: Item;
  readonly remark: Remark;
}

/** What becomes of a person. `taken`: somebody has the username or the id, perhaps the person, from an earlier import. */
export type Outcome =
  | { readonly kind: "new"; readonly remarks: readonly Remark[] }
  | { readonly kind: "taken"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

/** People who are added in one transaction. */
export interface ImportBatch {
  readonly people: readonly Person[];
  readonly items: Item[];
  /** Reads what became of each of the people. */
  read(results: readonly WriteResult[]): readonly Outcome[];
}

const mostItems = 1000;
/** Other writes wait for a batch, and people look at the progress. */
const mostPeople = 200;
/** A message may have 8 MiB, unless the operator wants less. */
const mostBytes = 512 * 1024;

/** Puts people together to batches, each with what belongs to a person: metadata, groups, roles and the state. */
export function toBatches(people: readonly Person[], names: KnownNames): readonly ImportBatch[] {
  const batches: ImportBatch[] = [];
  let current: {
    readonly person: Person;
    readonly parts: readonly Part[];
    readonly missing: readonly Remark[];
  }[] = [];
  let [items, bytes] = [0, 0];
  const end = (): void => {
    if (current.length > 0) batches.push(toBatch(current));
    current = [];
    [items, bytes] = [0, 0];
  };
  for (const person of people) {
    const { parts, missing } = toParts(person, names);
    const own = person.metadata.reduce((sum, { value }) => sum + value.length + 200, 2000);
    if (items + parts.length + 1 > mostItems || current.length >= mostPeople || bytes + own > mostBytes)
      end();
    current.push({ person, parts: parts.slice(0, mostItems - 1), missing });
    items += parts.length + 1;
    bytes += own;
  }
  end();
  return batches;
}

function toBatch(
  each: readonly {
    readonly person: Person;
    readonly parts: readonly Part[];
    readonly missing: readonly Remark[];
  }[],
): ImportBatch {
  return {
    people: each.map(({ person }) => person),
    items: each.flatMap(({ person, parts }) => [
      { bulkId: nameOf(person), request: { case: "addHumanUser" as const, value: person.request } },
      ...parts.map(({ item }) => item),
    ]),
    read(results) {
      let at = 0;
      return each.map(({ person, parts, missing }) => {
        const [first, ...others] = results.slice(at, at + 1 + parts.length);
        at += 1 + parts.length;
        const failure = errorOf(first);
        if (failure !== undefined)
          return {
            kind: isTaken(failure) ? ("taken" as const) : ("failed" as const),
            message: failure.message,
          };
        const failed = parts.flatMap(({ remark }, index) => {
          const error = errorOf(others[index]);
          return error === undefined ? [] : [remark, { kind: "service", value: error.message }];
        });
        return { kind: "new" as const, remarks: [...person.remarks, ...missing, ...failed] };
      });
    },
  };
}

function errorOf(result: WriteResult | undefined) {
  return result?.result.case === "error" ? result.result.value : undefined;
}

function isTaken({ details }: NonNullable<ReturnType<typeof errorOf>>): boolean {
  return details.some((detail) => anyUnpack(detail, ErrorInfoSchema)?.reason === "ALREADY_EXISTS");
}

function nameOf({ line }: Person): string {
  return `line-${line}`;
}

function toParts(
  person: Person,
  { groups, projects }: KnownNames,
): { readonly parts: readonly Part[]; readonly missing: readonly Remark[] } {
  const userId = `bulkId:${nameOf(person)}`;
  const parts: Part[] = [];
  const missing: Remark[] = [];
  if (person.metadata.length > 0)
    parts.push({
      item: { request: { case: "bulkSetUserMetadata", value: { userId, items: [...person.metadata] } } },
      remark: { kind: "withoutMetadata" },
    });
  for (const name of person.groups) {
    const groupId = groups.get(name);
    if (groupId === undefined) missing.push({ kind: "noGroup", value: name });
    else
      parts.push({
        item: { request: { case: "addGroupMembers", value: { groupId, userIds: [userId] } } },
        remark: { kind: "withoutGroup", value: name },
      });
  }
  const keys = Map.groupBy(person.roles, ({ project }) => project);
  for (const [name, roles] of keys) {
    const projectId = projects.get(name);
    const roleKeys = roles.map(({ key }) => key);
    if (projectId === undefined) missing.push({ kind: "noProject", value: name });
    else
      parts.push({
        item: { request: { case: "addUserGrant", value: { userId, projectId, roleKeys } } },
        remark: { kind: "withoutRoles", value: `${name}/${roleKeys.join(", ")}` },
      });
  }
  // Last: a user that is stopped gets what belongs to them all the same, but nobody has to rely on that.
  if (person.state !== "active")
    parts.push({
      item: {
        request: { case: person.state === "locked" ? "lockUser" : "deactivateUser", value: { userId } },
      },
      remark: { kind: "stillActive" },
    });
  return { parts, missing };
}

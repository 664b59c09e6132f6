import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { RecordedEvent } from "../../kernel/events/event.ts";
import { pastTooLong } from "./as-of.ts";
import {
  listEndsOfObject,
  listEventsOfObject,
  listEventsOfObjects,
  listEventsOfOwner,
  listEventsOfSubject,
  type PastRow,
  subjectOfProjectGrant,
} from "./repository.ts";

/** What is looked at in the past of a user. */
export interface Selection {
  readonly userId: string;
  /** Grants to the user, or to the groups of the user, too. */
  readonly grants: "none" | "own" | "all";
  readonly hasMemberships: boolean;
  /** Grants for this project only, and the project itself. Empty: for any. */
  readonly projectId: string;
  readonly organizationIds: readonly string[];
  /** Of a login: the application, and those whose policies count. */
  readonly login?: {
    readonly applicationId: string;
    readonly homeId: string;
    readonly policyOwnerIds: readonly string[];
  };
}

/** Selects what is about the user and nothing else, unless more is named. */
export function selectPast(userId: string, more: Partial<Selection>): Selection {
  return { userId, grants: "none", hasMemberships: false, projectId: "", organizationIds: [], ...more };
}

/** What gathering needs. */
export interface GatherPorts {
  /** Reads a little of the log, when its turn comes. */
  read<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Reads an event without its personal fields. */
  decode(row: PastRow): RecordedEvent;
  /** So many events may be read. */
  readonly limit: number;
}

/** Gathers all events up to a sequence that the selection rests on, in their order. Raises PAST_TOO_LONG. */
export async function gatherEvents(
  ports: GatherPorts,
  selection: Selection,
  upTo: number,
): Promise<readonly RecordedEvent[]> {
  const gathering = new Gathering(ports, selection, upTo);
  await gathering.run();
  return gathering.events();
}

const atOnce = 200;
/** So many objects are read together; most have few events. */
const objectsAtOnce = 32;

/** What happens to users that decides about their rights. */
const typesOfUser: readonly string[] = [
  "user.added",
  "user.deactivated",
  "user.reactivated",
  "user.locked",
  "user.unlocked",
  "user.removed",
];

class Gathering {
  readonly #ports: GatherPorts;
  readonly #selection: Selection;
  readonly #upTo: number;
  readonly #events = new Map<number, RecordedEvent>();
  readonly #known = new Set<string>();
  #subjects: string[] = [];
  #objects = new Map<string, string[]>();
  #read = 0;

  constructor(ports: GatherPorts, selection: Selection, upTo: number) {
    this.#ports = ports;
    this.#selection = selection;
    this.#upTo = upTo;
  }

  async run(): Promise<void> {
    const { userId, projectId, organizationIds, login } = this.#selection;
    this.#want("user", userId);
    if (projectId !== "") this.#want("project", projectId);
    for (const id of organizationIds) this.#want("organization", id);
    this.#subjects.push(userId);
    if (login !== undefined) {
      this.#want("application", login.applicationId);
      this.#subjects.push(subjectOfProjectGrant(projectId, login.homeId));
      for (const id of login.policyOwnerIds) await this.#readPolicies(id);
    }
    while (this.#subjects.length > 0 || this.#objects.size > 0) {
      const [subjects, objects] = [this.#subjects, this.#objects];
      this.#subjects = [];
      this.#objects = new Map();
      for (const id of subjects) await this.#readSubject(id);
      for (const [type, ids] of objects) await this.#readObjects(type, ids);
    }
  }

  /** Members that are neither the user nor a group of the user do not matter, and may be many. */
  events(): readonly RecordedEvent[] {
    const isKnown = (id: string) => this.#known.has(`group ${id}`);
    return [...this.#events.values()]
      .toSorted((left, right) => left.sequence - right.sequence)
      .map((event) => {
        if (!isOf(event, "group.member.added") && !isOf(event, "group.member.removed")) return event;
        const { user_ids: userIds, group_ids: groupIds } = event.payload;
        const ofUser = userIds.filter((id) => id === this.#selection.userId);
        return Object.assign({}, event, {
          payload: { ...event.payload, user_ids: ofUser, group_ids: groupIds.filter(isKnown) },
        });
      });
  }

  async #readSubject(id: string): Promise<void> {
    let after = 0;
    for (;;) {
      const subject = { id, after };
      const rows = await this.#ports.read((tx) =>
        listEventsOfSubject(tx, subject, { upTo: this.#upTo, limit: atOnce }),
      );
      this.#take(rows);
      after = rows.at(-1)?.sequence ?? 0;
      if (rows.length < atOnce) return;
    }
  }

  async #readObjects(type: string, ids: readonly string[]): Promise<void> {
    if (type === "group") {
      for (const id of ids) this.#take(await this.#ports.read((tx) => listEndsOfObject(tx, { type, id })));
      return;
    }
    if (type === "user") return await this.#readObject(type, ids[0] ?? "", typesOfUser);
    for (let start = 0; start < ids.length; start += objectsAtOnce) {
      const some = ids.slice(start, start + objectsAtOnce);
      const rows = await this.#ports.read((tx) => listEventsOfObjects(tx, { type, ids: some }, atOnce));
      if (rows.length < atOnce) this.#take(rows);
      else for (const id of some) await this.#readObject(type, id);
    }
  }

  async #readObject(type: string, id: string, types: readonly string[] = []): Promise<void> {
    let after = 0;
    for (;;) {
      const object = { type, id, after, types };
      const rows = await this.#ports.read((tx) => listEventsOfObject(tx, object, atOnce));
      this.#take(rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < atOnce || last.sequence > this.#upTo) return;
      after = last.revision;
    }
  }

  async #readPolicies(id: string): Promise<void> {
    for (const type of ["login_policy.added", "login_policy.changed", "login_policy.removed"]) {
      const range = { upTo: this.#upTo, limit: this.#ports.limit + 1 };
      this.#take(await this.#ports.read((tx) => listEventsOfOwner(tx, { id, type }, range)));
    }
  }

  #take(rows: readonly PastRow[]): void {
    this.#read += rows.length;
    if (this.#read > this.#ports.limit) throw pastTooLong(this.#ports.limit);
    for (const row of rows) {
      if (row.sequence > this.#upTo || this.#events.has(row.sequence)) continue;
      const event = this.#ports.decode(row);
      if (this.#follow(event)) this.#events.set(event.sequence, event);
    }
  }

  #want(type: string, id: string): void {
    const key = `${type} ${id}`;
    if (id === "" || this.#known.has(key)) return;
    this.#known.add(key);
    this.#objects.set(type, [...(this.#objects.get(type) ?? []), id]);
  }

  /** Notes what the event leads to. Returns false for an event of something that is not selected. */
  #follow(event: RecordedEvent): boolean {
    const { grants, hasMemberships, projectId } = this.#selection;
    const { aggregateId, resourceOwner } = event;
    if (isOf(event, "user_grant.added") || isOf(event, "group_grant.added")) {
      const { project_id, project_grant_id } = event.payload;
      const isWanted = grants === "all" || (grants === "own" && isOf(event, "user_grant.added"));
      if (!isWanted || (projectId !== "" && projectId !== project_id)) return false;
      this.#want(isOf(event, "user_grant.added") ? "user_grant" : "group_grant", aggregateId);
      this.#want("project", project_id);
      this.#want("project_grant", project_grant_id);
      this.#want("organization", resourceOwner);
    }
    if (isOf(event, "membership.added")) {
      if (!hasMemberships) return false;
      const { project_id = "", project_grant_id = "" } = event.payload;
      this.#want("membership", aggregateId);
      this.#want("project", project_id);
      this.#want("project_grant", project_grant_id);
      this.#want("organization", resourceOwner);
    }
    if (isOf(event, "group.member.added") || isOf(event, "group.member.removed")) {
      if (grants !== "all" && !hasMemberships) return false;
      if (!this.#known.has(`group ${aggregateId}`)) this.#subjects.push(aggregateId);
      this.#want("group", aggregateId);
    }
    if (isOf(event, "project_grant.added")) {
      this.#want("project_grant", aggregateId);
      this.#want("project", event.payload.project_id);
      this.#want("organization", event.payload.granted_organization_id);
    }
    if (isOf(event, "project.added") || isOf(event, "user.added")) this.#want("organization", resourceOwner);
    return true;
  }
}

function isOf<T extends RecordedEvent["type"]>(event: RecordedEvent, type: T): event is RecordedEvent<T> {
  return event.type === type;
}

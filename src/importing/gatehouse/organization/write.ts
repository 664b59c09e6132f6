import {
  isRowOf,
  isSecretOfOrganization,
  isStillThere,
  type LeftOutKind,
  listSecretsHeld,
  listStaying,
  type StayingBehind,
  type StayingKind,
  stayingKinds,
} from "../../../identity/exports/organization-repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { OpenEvent } from "../../../kernel/events/transfer/restore.ts";
import { readOpenEventsOf } from "../../../kernel/events/transfer/restore.ts";
import { type ExportLine, organizationFormat } from "../format.ts";
import { type ExportRun, listKeys, listOpenSecrets, listExportRows } from "../write.ts";
import { createInside, type Inside, type Outsider } from "./inside.ts";

/** What is exported of one organization. */
export interface OrganizationRun extends ExportRun {
  readonly organizationId: string;
}

/**
 * Lists the lines of an export of one organization, in the order of the file, as `listExport` does for an instance. What refers to
 * something else stays behind, and a line says so for each object that there is at the moment.
 */
export async function* listOrganizationExport(
  run: OrganizationRun,
): AsyncGenerator<ExportLine, void, undefined> {
  let lines = 0;
  for await (const line of listContents(run)) {
    lines += 1;
    yield line;
  }
  yield { kind: "end", value: { lines } };
}

async function* listContents(run: OrganizationRun): AsyncGenerator<ExportLine, void, undefined> {
  const { context, instanceId, organizationId, hasSecrets } = run;
  const date = new Date(context.clock.nowMs()).toISOString();
  yield {
    kind: "export",
    value: {
      format: organizationFormat,
      instance_id: instanceId,
      organization_id: organizationId,
      date,
      with_secrets: hasSecrets,
    },
  };
  yield* listKeys(run, organizationId);
  yield* listEvents(run);
  for (const kind of stayingKinds) yield* listStayingBehind(run, kind);
  for (const [kind, text] of ofInstance) yield { kind: "left_out", value: { kind, id: instanceId, text } };
  yield* listExportRows(run, (tx, table, row) => isRowOf(tx, table, { row, organizationId }));
  if (!hasSecrets) return;
  const secretsHeld = await context.database.read((tx) => listSecretsHeld(tx, organizationId));
  yield* listOpenSecrets(run, (tx, id) => isSecretOfOrganization(tx, id, { organizationId, secretsHeld }));
}

/** What an organization has of its instance. */
const ofInstance: readonly (readonly [kind: string, text: string])[] = [
  [
    "instance",
    "policies, providers, brandings, texts, targets, hooks and signing keys of the instance stay where they are: where the organization has none of its own, those of the new place hold",
  ],
  [
    "saml-pairwise",
    "persistent NameIDs of SAML are made with a secret of the instance, so applications that know users by them get others",
  ],
];

/**
 * The events that come along. All events of a command have the sequence of its last one as their date, so the last one that comes along gets that
 * sequence if the last one of all does not.
 */
async function* listEvents(run: OrganizationRun): AsyncGenerator<ExportLine, void, undefined> {
  const { context, organizationId: resourceOwner } = run;
  const { database, personalData } = context;
  const inside = createInside(resourceOwner);
  let held: OpenEvent | undefined;
  let after = 0;
  for (;;) {
    const from = after;
    const found = await database.read(async (tx) => {
      const events = await readOpenEventsOf(tx, personalData, { resourceOwner, after: from });
      const decided: Parted[] = [];
      for (const event of events) decided.push(await partOf(tx, inside, event));
      return { decided, last: events.at(-1)?.sequence };
    });
    for (const { event, leftOut } of found.decided) {
      if (leftOut !== undefined) yield leftOut;
      if (event === undefined) continue;
      if (held !== undefined) yield toLine(held, event);
      held = event;
    }
    if (found.last === undefined) break;
    after = found.last;
  }
  if (held !== undefined) yield toLine(held, undefined);
}

function toLine(event: OpenEvent, next: OpenEvent | undefined): ExportLine {
  const isLast = next?.date !== event.date;
  return { kind: "event", value: isLast ? { ...event, sequence: event.date } : event };
}

/** What becomes of an event, and the line that says so. */
interface Parted {
  readonly event: OpenEvent | undefined;
  readonly leftOut?: ExportLine | undefined;
}

async function partOf(tx: ReadTransaction, inside: Inside, event: OpenEvent): Promise<Parted> {
  const verdict = await inside.decide(tx, event);
  switch (verdict.kind) {
    case "whole":
      return { event };
    case "left-out":
      return { event: undefined, leftOut: await describeLeftOut(tx, event, verdict.outsiders) };
    case "without": {
      const { outsiders } = verdict;
      const payload = Object.fromEntries(
        Object.entries(event.payload).filter(([name]) => outsiders.every(({ field }) => field !== name)),
      );
      const id = event.aggregate_id;
      const isThere = event.type.endsWith(".added") && (await isStillThere(tx, "group", [id]));
      const text = `group ${id} comes without its source, ${toText(outsiders)}: administrators change its members`;
      return {
        event: { ...event, payload },
        leftOut: isThere ? { kind: "left_out", value: { kind: "group", id, text } } : undefined,
      };
    }
  }
}

/** Undefined: the event is no beginning, or the object is gone. */
async function describeLeftOut(
  tx: ReadTransaction,
  { type, aggregate_id: id, payload }: OpenEvent,
  outsiders: readonly Outsider[],
): Promise<ExportLine | undefined> {
  const named = beginnings[type]?.(id, payload as Readonly<Record<string, unknown>>);
  if (named === undefined || !(await isStillThere(tx, named.kind, named.ids))) return undefined;
  const why = outsiders.length === 0 ? "it is of the instance" : `it names ${toText(outsiders)}`;
  const text = `${named.what} is left out: ${why}`;
  return { kind: "left_out", value: { kind: named.kind, id: named.ids.join(" "), text } };
}

interface Named {
  readonly kind: LeftOutKind;
  readonly ids: readonly string[];
  readonly what: string;
}

/** Ids are texts; an absent one has no words before it. */
function idText(id: unknown, before = ""): string {
  return typeof id === "string" ? `${before}${id}` : "";
}

const nameOfObject =
  (kind: LeftOutKind) =>
  (id: string, { user_id: userId, group_id: groupId }: Readonly<Record<string, unknown>>): Named => {
    const holder = userId === undefined ? idText(groupId, " of group ") : idText(userId, " of user ");
    return { kind, ids: [id], what: `${kind} ${id}${holder}` };
  };

/** The events that objects begin with of which some stay behind, and how a plan names these. */
const beginnings: Readonly<
  Record<string, (id: string, payload: Readonly<Record<string, unknown>>) => Named>
> = {
  "membership.added": nameOfObject("membership"),
  "project_grant.added": nameOfObject("project_grant"),
  "user_grant.added": nameOfObject("user_grant"),
  "group_grant.added": nameOfObject("group_grant"),
  "application.external.added": nameOfObject("application"),
  "authorization.confirmed": (_id, { user_id: userId, application_id: appId }) => ({
    kind: "confirmation",
    ids: [idText(userId), idText(appId)],
    what: `what user ${idText(userId)} has confirmed for application ${idText(appId)}`,
  }),
  "session.added": nameOfObject("session"),
  "user.idp_link.added": (id, { link_id: linkId }) => ({
    kind: "idp_link",
    ids: [idText(linkId)],
    what: `link ${idText(linkId)} of user ${id}`,
  }),
  "login_policy.idp.added": (id, { idp_id: idpId }) => ({
    kind: "login_policy_idp",
    ids: [id, idText(idpId)],
    what: `identity provider ${idText(idpId)} of the login policy`,
  }),
};

function toText(outsiders: readonly Outsider[]): string {
  return outsiders.map(({ kind, id }) => `${kind} ${id}`.trimEnd() + ", which is outside").join(", ");
}

async function* listStayingBehind(
  { context, organizationId }: OrganizationRun,
  kind: StayingKind,
): AsyncGenerator<ExportLine, void, undefined> {
  let found: readonly StayingBehind[] = [];
  do {
    const after: string = found.at(-1)?.id ?? "";
    found = await context.database.read((tx) => listStaying(tx, kind, { organizationId, after }));
    for (const each of found)
      yield { kind: "left_out", value: { kind, id: each.id, text: texts[kind](each) } };
  } while (found.length > 0);
}

const texts: Readonly<Record<StayingKind, (staying: StayingBehind) => string>> = {
  membership: ({ id, about, owner }) =>
    `membership ${id} of ${about} stays where it is: it is one of ${owner}, which is outside`,
  user_grant: ({ id, about, owner }) =>
    `user_grant ${id} of user ${about} stays where it is: ${owner} has given it, which is outside`,
  group_grant: ({ id, about, owner }) =>
    `group_grant ${id} of group ${about} stays where it is: ${owner} has given it, which is outside`,
  project_grant: ({ id, about, owner }) =>
    `project_grant ${id} of project ${about} stays where it is: ${owner} has given it, which is outside`,
  target: ({ id, about }) =>
    `target ${id} pauses in the new place: it has the rights of user ${about}, who is outside`,
};

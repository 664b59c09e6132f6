import type { Client } from "@connectrpc/connect";
import { dryRun, withKey } from "../../../api/call-options.ts";
import type { BatchService } from "../../../../../gen/console/gatehouse/v1/batch_service_pb.ts";
import type { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import type { ImportBatch, Outcome } from "./batches.ts";
import type { Person, Remark } from "./people.ts";

/** What is said of a line of the file in the end. */
export interface Line {
  readonly line: number;
  readonly oldId: string;
  readonly username: string;
  readonly result: "new" | "present" | "faulty" | "open";
  readonly remarks: readonly Remark[];
}

/** A batch that waits, with the key under which it is sent: sent again, it does nothing twice. */
export interface WaitingBatch {
  readonly batch: ImportBatch;
  readonly key: string;
}

/** How batches are sent. */
export interface SendOptions {
  readonly batches: () => Promise<Client<typeof BatchService>>;
  readonly users: Client<typeof UserService>;
  /** Whether people are added, or it is only found out what would become of them. */
  readonly isApplied: boolean;
}

/** Gives each batch a key. */
export function toWaiting(batches: readonly ImportBatch[]): readonly WaitingBatch[] {
  return batches.map((batch) => ({ batch, key: crypto.randomUUID() }));
}

/** Sends one batch, and returns what becomes of its people. Fails if the call does; then it may be sent again. */
export async function sendBatch(
  { batch, key }: WaitingBatch,
  { batches, users, isApplied }: SendOptions,
): Promise<readonly Line[]> {
  const client = await batches();
  const request = { items: batch.items, allowPartialSuccess: true };
  const { results } = await client.write(request, isApplied ? withKey(key) : dryRun);
  const lines: Line[] = [];
  const outcomes = batch.read(results);
  // As many look-ups at once as a browser has connections for over HTTP/1.1.
  const width = 6;
  for (let at = 0; at < outcomes.length; at += width)
    lines.push(
      ...(await Promise.all(
        outcomes
          .slice(at, at + width)
          .map((outcome, index) => toLine(users, batch.people[at + index], outcome)),
      )),
    );
  return lines;
}

async function toLine(
  users: Client<typeof UserService>,
  person: Person | undefined,
  outcome: Outcome,
): Promise<Line> {
  if (person === undefined) throw new Error("a batch has an outcome for each of its people");
  const named = { line: person.line, oldId: person.oldId, username: person.request.username };
  if (outcome.kind === "new") return { ...named, result: "new", remarks: outcome.remarks };
  const faulty = {
    ...named,
    result: "faulty" as const,
    remarks: [{ kind: "service", value: outcome.message }],
  };
  if (outcome.kind === "failed") return faulty;
  return (await isPresent(users, person)) ? { ...named, result: "present", remarks: [] } : faulty;
}

/**
 * Says whether the user with the username is the person, from an earlier import: by the id in the other system or, for a person
 * that came without one, by the email address.
 */
async function isPresent(client: Client<typeof UserService>, { oldId, request }: Person): Promise<boolean> {
  const { users } = await client.listUsers({ username: request.username, pageSize: 1 });
  const [user] = users;
  if (user?.type.case !== "human") return false;
  if (user.importedId !== "") return user.importedId === oldId;
  return user.type.value.email.toLowerCase() === request.email.toLowerCase();
}

import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type {
  LogoutNotice,
  WaitingApplication,
} from "../../../identity/protocol-state/logout-notices/logout-notice.ts";
import {
  listDueNotices,
  listWaitingApplications,
} from "../../../identity/protocol-state/logout-notices/repository.ts";
import type { Places } from "./places.ts";

/** A notice that a try may begin for, with its application. */
export interface DueNotice {
  readonly notice: LogoutNotice;
  readonly application: WaitingApplication;
}

/** What a look into the queue has found. */
export interface ChosenNotices {
  readonly due: readonly DueNotice[];
  /** The application that was looked at last: the next look begins after it. */
  readonly last: string;
}

/** How many applications one query lists. */
const page = 100;

/**
 * Chooses the notices to begin with, for as many as there are places. Applications take turns, beginning with the one after
 * `after`, so that an application with very many notices does not delay the others. The places see to it that no organization takes
 * all of them.
 */
export async function chooseNotices(
  tx: ReadTransaction,
  { after, nowMs, places }: { readonly after: string; readonly nowMs: number; readonly places: Places },
): Promise<ChosenNotices> {
  const due: DueNotice[] = [];
  const taken: (() => void)[] = [];
  let last = after;
  try {
    for await (const application of inTurns(tx, after)) {
      if (places.isFull()) break;
      last = application.id;
      const limit = places.freeFor(application);
      if (limit === 0) continue;
      const notices = await listDueNotices(tx, { applicationId: application.id, nowMs, limit });
      for (const notice of notices) {
        taken.push(places.take(application));
        due.push({ notice, application });
      }
    }
  } finally {
    for (const release of taken) release(); // they are taken for good with the tries
  }
  return { due, last };
}

/** Lists the applications that notices wait for, each once. */
async function* inTurns(tx: ReadTransaction, after: string): AsyncGenerator<WaitingApplication> {
  yield* list(tx, after);
  if (after === "") return;
  for await (const application of list(tx, "")) {
    if (application.id > after) return;
    yield application;
  }
}

async function* list(tx: ReadTransaction, start: string): AsyncGenerator<WaitingApplication> {
  let after = start;
  for (;;) {
    const applications = await listWaitingApplications(tx, { after, limit: page });
    yield* applications;
    const last = applications.at(-1);
    if (last === undefined || applications.length < page) return;
    after = last.id;
  }
}

import { useEffect, useRef, useState } from "preact/hooks";
import { useApi, useCan, useClient } from "../../../api/api.ts";
import { type CallProblem, readProblem } from "../../../api/call-problem.ts";
import { useBatch } from "../../../api/use-batch.ts";
import { GroupService } from "../../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { ProjectService } from "../../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { type KnownNames, toBatches } from "./batches.ts";
import { parseCsv } from "./csv.ts";
import { findNames } from "./known-names.ts";
import { type ImportRights, type People, type Remark, readPeople } from "./people.ts";
import { type Line, sendBatch, toWaiting, type WaitingBatch } from "./run.ts";

/** How far an import is. */
export interface ImportState {
  /** `checking` finds out by dry runs what would become of everybody, `importing` adds them. */
  readonly stage: "choosing" | "checking" | "checked" | "importing" | "imported";
  readonly fileName: string;
  readonly read: People;
  /** What is known of each line. */
  readonly lines: readonly Line[];
  /** How many people of the stage are done, and how many it has. */
  readonly done: number;
  readonly total: number;
  /** Why the stage has stopped; `stopped` if the user has stopped it. */
  readonly halt?: CallProblem | "stopped";
  /** Why the file cannot be taken. */
  readonly fault?: Remark;
}

/** An import of this page, and what can be done with it. */
export interface Import {
  readonly state: ImportState;
  readonly rights: ImportRights;
  choose(file: File): Promise<void>;
  /** Adds the new people. */
  begin(): void;
  stop(): void;
  /** Goes on where it has stopped. */
  goOn(): void;
  restart(): void;
}

/** A browser holds the file and what becomes of each line; more is for `gatehouse import`. */
const mostBytes = 16 * 1024 * 1024;

const noPeople: People = { people: [], faulty: [], unknownColumns: [] };
const atFirst: ImportState = {
  stage: "choosing",
  fileName: "",
  read: noPeople,
  lines: [],
  done: 0,
  total: 0,
};

/** Imports people of a file into the organization of the place. Leaving the page stops it after the batch under way. */
export function useImport(): Import {
  const rights = useRights();
  const [state, setState] = useState(atFirst);
  const { send, find } = useSender();
  const names = useRef<KnownNames>({ groups: new Map(), projects: new Map() });
  const waiting = useRef<readonly WaitingBatch[]>([]);
  // Each run has a number; one that is no longer the latest has been stopped.
  const latest = useRef(0);
  const stop = (): void => void (latest.current += 1);
  useEffect(() => stop, []);

  const work = async (stage: "checking" | "importing"): Promise<void> => {
    stop();
    const own = latest.current;
    setState(({ halt: _former, ...last }) => last);
    try {
      for (let next = waiting.current[0]; next !== undefined; next = waiting.current[0]) {
        const lines = await send(next, stage === "importing");
        // Stopped and gone on with meanwhile, the same batch may be on its way twice.
        waiting.current = waiting.current.filter((each) => each !== next);
        setState((last) => progressWith(last, lines));
        if (own !== latest.current) return;
      }
      setState((last) => ({ ...last, stage: stage === "checking" ? "checked" : "imported" }));
    } catch (error) {
      if (own === latest.current) setState((last) => ({ ...last, halt: readProblem(error) }));
    }
  };
  const start = (stage: "checking" | "importing", read: People): void => {
    waiting.current = toWaiting(toBatches(read.people, names.current));
    setState((last) => ({ ...last, stage, done: 0, total: read.people.length }));
    void work(stage);
  };

  return {
    state,
    rights,
    async choose(file) {
      const refuse = (fault: Remark): void => setState({ ...atFirst, fault });
      if (file.size > mostBytes) {
        refuse({ kind: "tooLarge" });
        return;
      }
      const read = readPeople(parseCsv(await file.text()), rights);
      if (read.fault !== undefined) {
        refuse(read.fault);
        return;
      }
      setState({ ...atFirst, stage: "checking", fileName: file.name, read, lines: toFirstLines(read) });
      try {
        names.current = await find(read.people);
        start("checking", read);
      } catch (error) {
        setState({ ...atFirst, halt: readProblem(error) });
      }
    },
    begin() {
      const fresh = new Set(state.lines.flatMap(({ line, result }) => (result === "new" ? [line] : [])));
      const people = state.read.people.filter(({ line }) => fresh.has(line));
      setState((last) => ({
        ...last,
        lines: last.lines.map((each) => (fresh.has(each.line) ? { ...each, result: "open" } : each)),
      }));
      start("importing", { ...state.read, people });
    },
    stop() {
      stop();
      setState((last) => ({ ...last, halt: "stopped" }));
    },
    goOn() {
      if (state.stage === "checking" || state.stage === "importing") void work(state.stage);
    },
    restart() {
      stop();
      setState(atFirst);
    },
  };
}

/** Returns functions that send batches, and find the groups and projects that a file names. */
function useSender() {
  const batches = useBatch();
  const users = useClient(UserService);
  const groups = useClient(GroupService);
  const projects = useClient(ProjectService);
  return {
    send: (batch: WaitingBatch, isApplied: boolean) => sendBatch(batch, { batches, users, isApplied }),
    find: (people: People["people"]) => findNames(people, { groups, projects }),
  };
}

function useRights(): ImportRights {
  const can = useCan();
  const { permissions } = useApi();
  return {
    importsIds: permissions.can("user.write", {}),
    vouches: can("user.credential.write"),
    setsHashes: permissions.can("user.credential.write", {}),
  };
}

function toFirstLines({ people, faulty }: People): readonly Line[] {
  return [
    ...people.map(({ line, oldId, request }) => ({
      line,
      oldId,
      username: request.username,
      result: "open" as const,
      remarks: [],
    })),
    ...faulty.map(({ faults, ...row }) => ({ ...row, result: "faulty" as const, remarks: faults })),
  ].toSorted((one, other) => one.line - other.line);
}

/** Puts what was found out now in the place of what was open. */
function progressWith(last: ImportState, found: readonly Line[]): ImportState {
  const byLine = new Map(found.map((each) => [each.line, each]));
  const lines = last.lines.map((each) => (each.result === "open" ? (byLine.get(each.line) ?? each) : each));
  const open = lines.filter(({ result }) => result === "open").length;
  return { ...last, lines, done: last.total - open };
}

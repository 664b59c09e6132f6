import type { RecordedEvent } from "../../kernel/events/event.ts";
import { isConsole } from "../applications/oidc/console.ts";
import { isFirstFactor, type SessionMethod, sessionMethods } from "../logins/sessions/session.ts";

/** What is counted: sign-ins, what was proved by them, what was refused, and sign-ins to applications. */
export type CountKind = "sign_in" | "proved" | "refused" | "application";

/** One thing to count, once. */
export interface Count {
  readonly kind: CountKind;
  /** The method, or the id of the application; empty for a sign-in. */
  readonly subject: string;
}

/** What an event adds to the numbers of the organization that it belongs to. */
export interface Counted {
  readonly organizationId: string;
  readonly dateMs: number;
  readonly counts: readonly Count[];
  /** The user who was active; undefined for a refusal, which anybody can cause. */
  readonly userId: string | undefined;
}

/** Decides what an event adds to the numbers; undefined: nothing. */
export function countEvent(event: RecordedEvent): Counted | undefined {
  const { resourceOwner: organizationId, date, editor } = event;
  const about = { organizationId, dateMs: date / 1000 };
  const active = { ...about, userId: editor };
  if (isOfType(event, "session.added"))
    return { ...active, counts: [signIn, ...event.payload.methods.map(toProved)] };
  if (isOfType(event, "session.checked")) {
    const { method } = event.payload;
    return { ...active, counts: [...(isFirstFactor(method) ? [signIn] : []), toProved(method)] };
  }
  if (isOfType(event, "authorization.granted")) {
    const { application_id: subject } = event.payload;
    return { ...active, counts: isConsole(subject) ? [] : [{ kind: "application", subject }] };
  }
  if (event.type === "user.password.check.failed") return { ...about, ...toRefused("PASSWORD") };
  if (event.type === "user.totp.check.failed") return { ...about, ...toRefused("TOTP") };
  return undefined;
}

/** What happened on a day. */
export interface ActivityDay {
  /** Such as `2030-12-31`. */
  readonly date: string;
  readonly signIns: number;
  readonly refusals: number;
  /** In the order of `sessionMethods`; those without any are left out. */
  readonly methods: readonly {
    readonly method: SessionMethod;
    readonly signIns: number;
    readonly refusals: number;
  }[];
}

/** How often something was counted on a day: the number of days since 1970. */
export interface CountOfDay extends Count {
  readonly day: number;
  readonly count: number;
}

/** Makes the days of their counts, from `first` to `last`, each of them. */
export function toDays(
  counts: readonly CountOfDay[],
  { first, last }: { readonly first: number; readonly last: number },
): readonly ActivityDay[] {
  const byDay = Map.groupBy(counts, ({ day }) => day);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const ofDay = byDay.get(first + index) ?? [];
    const sum = (kind: CountKind, subject?: string) =>
      ofDay
        .filter((each) => each.kind === kind && (subject === undefined || each.subject === subject))
        .reduce((total, { count }) => total + count, 0);
    const methods = sessionMethods.map((method) => ({
      method,
      signIns: sum("proved", method),
      refusals: sum("refused", method),
    }));
    return {
      date: new Date((first + index) * dayMs).toISOString().slice(0, 10),
      signIns: sum("sign_in"),
      refusals: sum("refused"),
      methods: methods.filter(({ signIns, refusals }) => signIns + refusals > 0),
    };
  });
}

const dayMs = 86_400_000;

const signIn: Count = { kind: "sign_in", subject: "" };

function toProved(method: string): Count {
  return { kind: "proved", subject: method };
}

function toRefused(method: SessionMethod): Pick<Counted, "counts" | "userId"> {
  return { counts: [{ kind: "refused", subject: method }], userId: undefined };
}

function isOfType<T extends RecordedEvent["type"]>(event: RecordedEvent, type: T): event is RecordedEvent<T> {
  return event.type === type;
}

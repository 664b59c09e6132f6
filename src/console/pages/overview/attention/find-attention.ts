import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import { isTransient, readProblem } from "../../../api/call-problem.ts";
import {
  type Application,
  SamlMetadataState,
} from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import type { Event } from "../../../../../gen/console/gatehouse/v1/event_pb.ts";
import { EventService } from "../../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { SecondFactorState } from "../../../../../gen/console/gatehouse/v1/second_factor_pb.ts";
import { type User, UserState } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { type ListEvents, readNewest } from "../../../ui/events/newest-events.ts";
import { nameOfUser } from "../../../ui/user-name.ts";
import {
  floorOf,
  isFailedDelivery,
  type Signal,
  type SignalType,
  signalTypes,
  toSignals,
} from "./signals.ts";

/** Something that needs attention now. */
export interface Attention {
  readonly signal: Signal;
  /** The name of the user or the application. */
  readonly title: string;
  /** Of applications. */
  readonly projectId?: string | undefined;
}

/** What needs attention, and whether there may be more of it. */
export interface Findings {
  readonly found: readonly Attention[];
  /** When it was found, by the clock of the service. */
  readonly nowMs: number;
  readonly isCut: boolean;
}

type TransportOf = (organizationId: string | undefined) => Transport;

/** As many events of a type are read at once, and as many of them at most. */
const portion = 500;
const mostEvents = 5_000;
/** As many objects of a type are asked at once, and as many of them are enough. */
const enough = 10;
/** As many objects of a type are asked at most. */
const mostAsked = 500;

/**
 * Finds what needs attention in all organizations whose events the user may read. The events tell where to look, and the objects
 * whether it is still so: an object that is gone, or may not be read, needs none. Of each type it looks at older events until it has
 * found enough, or has looked at so many that the answer says that it is cut.
 */
export async function findAttention(transportOf: TransportOf): Promise<Findings> {
  const events = createClient(EventService, transportOf(undefined));
  const { details } = await events.listEvents({ pageSize: 1 });
  // The clock of the service: that of the browser may be wrong.
  const nowMs =
    details?.viewTimestamp === undefined
      ? Number((details?.processedSequence ?? 0n) / 1000n)
      : timestampMs(details.viewTimestamp);
  const ask = createQuestions(transportOf);
  const parts = await Promise.all(
    signalTypes.map((type) =>
      findOfType(type, {
        ask,
        nowMs,
        list: (request) => events.listEvents({ ...request, eventType: type.eventType }),
      }),
    ),
  );
  return { nowMs, found: parts.flatMap(({ found }) => found), isCut: parts.some(({ isCut }) => isCut) };
}

/** What the search for signals of a type needs. */
export interface SearchPort {
  /** Lists the events of the type. */
  readonly list: ListEvents;
  /** Asks the object whether it is still so; undefined: it is not. */
  ask(signal: Signal): Promise<Attention | undefined>;
  readonly nowMs: number;
}

/** Finds what needs attention after events of a type, the newest first. `isCut`: there may be more of it. */
export async function findOfType(
  type: SignalType,
  { list, ask, nowMs }: SearchPort,
): Promise<Omit<Findings, "nowMs">> {
  const read: Event[] = [];
  const found: Attention[] = [];
  let asked = 0;
  let before: bigint | undefined = 0n;
  do {
    const part = await readNewest(list, { wanted: portion, before, after: floorOf(type, nowMs) });
    before = part.next;
    read.push(...part.events);
    // The newest event of each object counts, so older ones add nothing to what was asked before.
    const signals = toSignals(read, type, nowMs);
    while (asked < signals.length) {
      if (found.length >= enough || asked >= mostAsked) return { found, isCut: true };
      const answers = await Promise.all(signals.slice(asked, asked + enough).map(ask));
      asked = Math.min(asked + enough, signals.length);
      found.push(...answers.filter((each) => each !== undefined));
    }
  } while (before !== undefined && found.length < enough && read.length < mostEvents);
  return { found, isCut: before !== undefined };
}

/** Returns a function that asks the object whether it is still so. */
function createQuestions(transportOf: TransportOf): (signal: Signal) => Promise<Attention | undefined> {
  const users = createClient(UserService, transportOf(undefined));
  const events = createClient(EventService, transportOf(undefined));
  const once = createMemory();
  const userOf = ({ ownerId }: Signal): Promise<User | undefined> =>
    once(`user ${ownerId}`, async () => (await users.getUser({ userId: ownerId })).user);
  const applicationOf = ({ ownerId, organizationId }: Signal): Promise<Application | undefined> =>
    once(`application ${ownerId}`, () => readApplication(ownerId, organizationId));
  const readApplication = async (
    ownerId: string,
    organizationId: string,
  ): Promise<Application | undefined> => {
    const { events: first } = await events.listEvents({ aggregateId: ownerId, pageSize: 1 });
    const projectId = first[0]?.payload?.["project_id"];
    if (typeof projectId !== "string") return undefined;
    const client = createClient(ApplicationService, transportOf(organizationId));
    return (await client.getApplication({ projectId, appId: ownerId })).application;
  };
  const isSecretInForce = async ({ ownerId, sequence }: Signal): Promise<boolean> => {
    const later = { aggregateId: ownerId, afterSequence: sequence, pageSize: 1 };
    const answers = await Promise.all(
      ["user.secret.set", "user.secret.removed"].map((eventType) =>
        events.listEvents({ ...later, eventType }),
      ),
    );
    return answers.every(({ events: found }) => found.length === 0);
  };
  const isUserConcerned = async (signal: Signal, user: User): Promise<boolean> => {
    if (isFailedDelivery(signal.kind)) return true;
    const list = { userId: signal.ownerId, pageSize: 1000 };
    switch (signal.kind) {
      case "token": {
        const { personalAccessTokens } = await once(`tokens ${signal.ownerId}`, () =>
          users.listPersonalAccessTokens(list),
        );
        return personalAccessTokens.some(({ id }) => id === signal.itemId);
      }
      case "key": {
        const { keys } = await once(`keys ${signal.ownerId}`, () => users.listServiceUserKeys(list));
        return keys.some(({ id }) => id === signal.itemId);
      }
      case "secret":
        return await isSecretInForce(signal);
      case "factor": {
        const { secondFactors } = await once(`factors ${signal.ownerId}`, () =>
          users.listSecondFactors(list),
        );
        return secondFactors.some(
          ({ id, state }) => id === signal.itemId && state === SecondFactorState.NOT_READY,
        );
      }
      default:
        return user.state === UserState.LOCKED;
    }
  };
  const isApplicationConcerned = async (
    signal: Signal,
    { id, projectId, config }: Application,
  ): Promise<boolean> => {
    if (isFailedDelivery(signal.kind)) return true;
    if (signal.kind === "metadata")
      return config.case === "saml" && config.value.metadataState !== SamlMetadataState.READY;
    const client = createClient(ApplicationService, transportOf(signal.organizationId));
    const { keys } = await once(`keys ${id}`, () =>
      client.listApplicationKeys({ projectId, appId: id, pageSize: 1000 }),
    );
    return keys.some((key) => key.id === signal.itemId);
  };
  const ask = async (signal: Signal): Promise<Attention | undefined> => {
    if (["application-key", "metadata", "logout"].includes(signal.kind)) {
      const application = await applicationOf(signal);
      if (application === undefined || !(await isApplicationConcerned(signal, application))) return undefined;
      return { signal, title: application.name, projectId: application.projectId };
    }
    const user = await userOf(signal);
    if (user === undefined || !(await isUserConcerned(signal, user))) return undefined;
    return { signal, title: nameOfUser(user) };
  };
  return (signal) =>
    ask(signal).catch((error: unknown) => {
      // An answer that did not come says nothing about the object.
      if (isTransient(readProblem(error))) throw error;
      return undefined;
    });
}

/** Returns a function that loads the value of a key once: a user may have hundreds of tokens. */
function createMemory(): <Value>(key: string, load: () => Promise<Value>) => Promise<Value> {
  const known = new Map<string, Promise<unknown>>();
  return <Value>(key: string, load: () => Promise<Value>) => {
    const value = known.get(key) ?? load();
    known.set(key, value);
    return value as Promise<Value>; // a key always stands for the same kind of value
  };
}

import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { type Application, SamlMetadataState } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { SecondFactorState } from "../../../gen/gatehouse/v1/second_factor_pb.ts";
import { type User, UserState } from "../../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { readNewest } from "../../../ui/events/newest-events.ts";
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

/** As many of the newest events of a type are looked at. */
const wanted = 500;
/** As many objects of a type are asked whether they still need attention. */
const mostAsked = 10;

/**
 * Finds what needs attention in all organizations whose events the user may read. The events tell where to look, and the objects
 * whether it is still so: an object that is gone, or may not be read, needs none.
 */
export async function findAttention(transportOf: TransportOf): Promise<Findings> {
  const events = createClient(EventService, transportOf(undefined));
  const { details } = await events.listEvents({ pageSize: 1 });
  const end = details?.processedSequence ?? 0n;
  // The clock of the service: that of the browser may be wrong.
  const nowMs =
    details?.viewTimestamp === undefined ? Number(end / 1000n) : timestampMs(details.viewTimestamp);
  const ask = createQuestions(transportOf);
  const parts = await Promise.all(
    signalTypes.map(async (type) => {
      const signals = await readSignals(events, type, { end, nowMs });
      const asked = await Promise.all(signals.slice(0, mostAsked).map(ask));
      const found = asked.filter((each) => each !== undefined);
      return { found, isCut: signals.length > mostAsked };
    }),
  );
  return { nowMs, found: parts.flatMap(({ found }) => found), isCut: parts.some(({ isCut }) => isCut) };
}

async function readSignals(
  client: Client<typeof EventService>,
  type: SignalType,
  { end, nowMs }: { readonly end: bigint; readonly nowMs: number },
): Promise<readonly Signal[]> {
  const { eventType } = type;
  const { events } = await readNewest(
    (request) => client.listEvents({ ...request, eventType }),
    { before: end, width: end === 0n ? 1n : end },
    { wanted, floor: floorOf(type, nowMs) },
  );
  return toSignals(events, type, nowMs);
}

/** Returns a function that asks the object whether it is still so. */
function createQuestions(transportOf: TransportOf): (signal: Signal) => Promise<Attention | undefined> {
  const users = createClient(UserService, transportOf(undefined));
  const events = createClient(EventService, transportOf(undefined));
  const userOf = async ({ ownerId }: Signal): Promise<User | undefined> =>
    (await users.getUser({ userId: ownerId })).user;
  const applicationOf = async ({ ownerId, organizationId }: Signal): Promise<Application | undefined> => {
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
        const { personalAccessTokens } = await users.listPersonalAccessTokens(list);
        return personalAccessTokens.some(({ id }) => id === signal.itemId);
      }
      case "key": {
        const { keys } = await users.listServiceUserKeys(list);
        return keys.some(({ id }) => id === signal.itemId);
      }
      case "secret":
        return await isSecretInForce(signal);
      case "factor": {
        const { secondFactors } = await users.listSecondFactors(list);
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
    const { keys } = await client.listApplicationKeys({ projectId, appId: id, pageSize: 1000 });
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
  return (signal) => ask(signal).catch(() => undefined);
}

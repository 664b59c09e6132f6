import type { EmulatedParts } from "../app/setup.ts";
import { fieldInvalid } from "../kernel/base/problem.ts";
import type { Secret } from "../kernel/base/secret.ts";
import type { MemoryPlace } from "../kernel/storage/places/memory-place.ts";
import { findNamedApplication } from "./find-application.ts";
import type { MessageBox, MessageFilter, SentMessage } from "./message-box.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";
import type { TurnedClock } from "./turned-clock.ts";

/** What the service of an emulator does. */
export interface EmulatorCommands {
  /** Moves the clock forward, does what is due then, and returns its time. Raises FIELD_INVALID beyond the year 2200. */
  advanceClock(ms: number): Promise<number>;
  /** Returns the settings of an application at its provider. Raises NOT_FOUND, and FIELD_INVALID if several have the name. */
  getClient(application: string): Promise<ClientSettings>;
  /** Lists messages, newest first, and waits for the first one if there is none. */
  listMessages(
    filter: MessageFilter,
    wait: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<readonly SentMessage[]>;
  /** Goes back to the state that was marked. */
  reset(): Promise<void>;
  /** Marks the state of now. */
  setResetPoint(): Promise<void>;
  readonly signIn: SignIn;
}

/** What an application is configured with. */
export interface ClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty if it is not known. */
  readonly clientSecret: string;
  readonly projectId: string;
}

/** What they work with. */
export interface EmulatorSetup {
  readonly place: MemoryPlace;
  readonly clock: TurnedClock;
  readonly box: MessageBox;
  /** The secrets that were made with the seed, by client id. */
  readonly secrets: ReadonlyMap<string, Secret>;
}

/** Sequences are microseconds, which are exact as numbers up to the year 2255. */
const lastMs = Date.UTC(2200);

/** Creates the commands. */
export function createEmulatorCommands(
  { place, clock, box, secrets }: EmulatorSetup,
  parts: EmulatedParts,
): EmulatorCommands {
  return {
    async advanceClock(ms) {
      if (clock.nowMs() + ms > lastMs) throw fieldInvalid("seconds", "must not lead beyond the year 2200");
      clock.advance(ms);
      if (ms > 0) await parts.work();
      return clock.nowMs();
    },
    async getClient(application) {
      const { id, projectId } = await findNamedApplication(parts.context.database, application);
      const clientSecret = secrets.get(id)?.reveal() ?? "";
      return { issuer: parts.issuer() ?? "", clientId: id, clientSecret, projectId };
    },
    async listMessages(filter, { waitMs, signal }) {
      const at = box.list(filter);
      return at.length > 0 || waitMs === 0 ? at : await waitFor(box, filter, { waitMs, signal });
    },
    async reset() {
      await place.restore();
      clock.reset();
      box.clear();
    },
    setResetPoint: place.mark,
    signIn: createSignIn(parts),
  };
}

async function waitFor(
  box: MessageBox,
  filter: MessageFilter,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
): Promise<readonly SentMessage[]> {
  const timeUp = AbortSignal.timeout(waitMs);
  const ends = signal === undefined ? timeUp : AbortSignal.any([timeUp, signal]);
  while (!ends.aborted) {
    await box.another(ends);
    const found = box.list(filter);
    if (found.length > 0) return found;
  }
  return [];
}

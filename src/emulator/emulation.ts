import type { Emulation } from "../app/setup.ts";
import { EmulatorService } from "../../gen/gatehouse/emulator/v1/emulator_service_pb.ts";
import { type Clock, systemClock } from "../kernel/base/clock.ts";
import { createGatehouse, staticToken } from "../client/client.ts";
import { equalBytes, Secret } from "../kernel/base/secret.ts";
import { createMemoryPlace } from "../kernel/storage/places/memory-place.ts";
import { createEmulatorCommands } from "./commands.ts";
import { createMessageBox } from "./message-box.ts";
import { createEmulatorService } from "./rpc.ts";
import { createTurnedClock } from "./turned-clock.ts";

/** An emulator that is not started yet. */
export interface Emulator {
  readonly clock: Clock;
  readonly emulation: Emulation;
  /** The token with which tests call it: the one that was given, or else the one of the administrator. Throws before the start. */
  token(): Secret;
  /** Makes what a seed has, by calls to the service at `url`. Throws ConfigurationError. */
  seed(url: string, seed: { readonly file: string; readonly content: string }): Promise<void>;
  /** Remembers what there is now, for Reset, and forgets the messages of before. */
  mark(): Promise<void>;
}

/** Creates an emulator. `givenToken`: what callers may send as the token of the administrator; undefined: nothing else. */
export function createEmulator(givenToken: Secret | undefined): Emulator {
  const place = createMemoryPlace();
  const clock = createTurnedClock(systemClock);
  const box = createMessageBox(clock);
  const secrets = new Map<string, Secret>();
  let adminToken: Secret | undefined;
  const requireToken = (): Secret => {
    if (adminToken === undefined) throw new Error("the emulator is not started");
    return adminToken;
  };
  return {
    clock,
    token: () => givenToken ?? requireToken(),
    async seed(url, seed) {
      const tokens = staticToken(requireToken().reveal());
      const { makeSeed } = await import("./seed.ts"); // a start without a seed does without
      const made = await makeSeed(createGatehouse({ url, tokens }), seed);
      for (const { clientId, secret } of made) secrets.set(clientId, new Secret(secret));
    },
    async mark() {
      await place.mark();
      box.clear();
    },
    emulation: {
      place,
      messages: box,
      service: EmulatorService,
      keepToken(token) {
        adminToken = token;
      },
      withToken(call) {
        if (givenToken === undefined || !isBearer(call.header("authorization"), givenToken)) return call;
        const authorization = `Bearer ${requireToken().reveal()}`;
        const { verb, path } = call;
        return {
          verb,
          path,
          header: (name) => (name === "authorization" ? authorization : call.header(name)),
        };
      },
      createService: (parts) =>
        createEmulatorService(createEmulatorCommands({ place, clock, box, secrets }, parts)),
    },
  };
}

function isBearer(authorization: string | undefined, token: Secret): boolean {
  const [, text] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
  return text !== undefined && equalBytes(Buffer.from(text), Buffer.from(token.reveal()));
}

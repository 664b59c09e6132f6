import type { OrganizationId, UserId } from "../../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import {
  type AssertionChoices,
  type AssertionOptions,
  assertInSoftware,
  cosePublicKey,
  makeKeyPair,
} from "../../../support/software-authenticator.ts";
import type { BrowserPage } from "./browser.ts";
import type { LoginStage, Person } from "./login-stage.ts";
import { optionsOf } from "./security-key.ts";

/** A device with the passkey of a user, which answers pages. */
export interface PasskeyDevice {
  readonly id: string;
  /** What the hidden field of a form holds once the user was verified. The counter stays 0, as that of real ones does. */
  answer(page: BrowserPage, choices?: Partial<AssertionChoices>): string;
  /** Decides that the user has registered the passkey. */
  readonly registered: readonly NewEvent[];
}

/** Whose passkey it is, and what differs from most. */
export interface PasskeyChoices {
  readonly userId: UserId;
  readonly resourceOwner: string;
  /** Default: that of the stage. */
  readonly domain?: string;
  readonly counter?: number;
}

/** Makes a passkey for pages of the issuer. It may be copied to other devices, and was not. */
export function makePasskey(
  stage: Pick<LoginStage, "issuer"> & {
    readonly fixture: { readonly context: { readonly ids: { next(): string } } };
  },
  { userId, resourceOwner, domain = new URL(stage.issuer).hostname, counter = 0 }: PasskeyChoices,
): PasskeyDevice {
  const keys = makeKeyPair();
  const id = stage.fixture.context.ids.next();
  const credentialId = new Uint8Array(Buffer.from(`passkey ${id}`));
  const about = { aggregateId: userId, resourceOwner };
  return {
    id,
    answer(page, choices) {
      const options = optionsOf(page) as AssertionOptions;
      const userHandle = Buffer.from(userId).toString("base64url");
      const device = { origin: stage.issuer, keys, credentialId, counter, flags: 0x0d, userHandle };
      return JSON.stringify(assertInSoftware(options, { ...device, ...choices }));
    },
    registered: [
      { type: "user.passkey.added", ...about, payload: { passkey_id: id, domain } },
      {
        type: "user.passkey.verified",
        ...about,
        payload: {
          passkey_id: id,
          name: "Phone",
          credential_id: Buffer.from(credentialId).toString("base64url"),
          public_key: Buffer.from(cosePublicKey(keys.publicKey)).toString("base64url"),
          counter: String(counter),
          aaguid: "00000000-0000-0000-0000-000000000000",
          attestation_format: "none",
          backup_eligible: true,
          backed_up: false,
        },
      },
    ],
  };
}

/** Adds a person of the organization with a passkey. */
export async function addPasskeyOwner(
  stage: LoginStage,
  of: OrganizationId,
  choices: Partial<PasskeyChoices> = {},
): Promise<{ readonly person: Person; readonly passkey: PasskeyDevice }> {
  const person = await stage.addPerson(of);
  const passkey = makePasskey(stage, { userId: person.id, resourceOwner: of, ...choices });
  await stage.fixture.record(...passkey.registered);
  return { person, passkey };
}

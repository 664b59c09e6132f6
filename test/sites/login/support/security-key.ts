import type { UserId } from "../../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import {
  type AssertionChoices,
  type AssertionOptions,
  assertInSoftware,
  cosePublicKey,
  type CreationOptions,
  makeKeyPair,
  type RegistrationChoices,
  registerInSoftware,
} from "../../../support/software-authenticator.ts";
import type { BrowserPage } from "./browser.ts";
import type { LoginStage, Person } from "./login-stage.ts";

/** A security key that answers pages. */
export interface SecurityKey {
  /** The id of its factor, once it is registered. */
  readonly id: string;
  /** What the hidden field of a form holds once the key was touched; the counter rises each time. */
  answer(page: BrowserPage, choices?: Partial<AssertionChoices>): string;
  register(page: BrowserPage, choices?: RegistrationChoices): string;
  /** Decides that the user has registered the key for that domain. */
  registered(userId: UserId, resourceOwner: string, domain: string): readonly NewEvent[];
}

/** What makes ids, and whose pages a key answers. */
interface KeyGround extends Pick<LoginStage, "issuer"> {
  readonly fixture: { readonly context: { readonly ids: { next(): string } } };
}

/** Makes a key that answers pages of the issuer. */
export function makeSecurityKey(stage: KeyGround): SecurityKey {
  const keys = makeKeyPair();
  const id = stage.fixture.context.ids.next();
  const credentialId = new Uint8Array(Buffer.from(`credential ${id}`));
  let counter = 0;
  return {
    id,
    answer(page, choices) {
      counter += 1;
      const options = optionsOf(page) as AssertionOptions;
      return JSON.stringify(
        assertInSoftware(options, { origin: stage.issuer, keys, credentialId, counter, ...choices }),
      );
    },
    register(page, choices) {
      const publicKey = optionsOf(page) as CreationOptions["publicKey"];
      return JSON.stringify(
        registerInSoftware({ publicKey }, { origin: stage.issuer, keys, credentialId, ...choices }),
      );
    },
    registered: (userId, resourceOwner, domain) => [
      {
        type: "user.u2f.added",
        aggregateId: userId,
        resourceOwner,
        payload: { u2f_id: id, domain },
      },
      {
        type: "user.u2f.verified",
        aggregateId: userId,
        resourceOwner,
        payload: {
          u2f_id: id,
          name: "Key",
          credential_id: Buffer.from(credentialId).toString("base64url"),
          public_key: Buffer.from(cosePublicKey(keys.publicKey)).toString("base64url"),
          counter: "0",
          aaguid: "00000000-0000-0000-0000-000000000000",
          attestation_format: "none",
        },
      },
    ],
  };
}

/** Gives a person a security key that is registered. `domain`: default: that of the stage with https. */
export async function giveKey(
  stage: LoginStage,
  { id, organization }: Pick<Person, "id" | "organization">,
  domain = "login.example",
): Promise<SecurityKey> {
  const key = makeSecurityKey(stage);
  await stage.fixture.record(...key.registered(id, organization, domain));
  return key;
}

/** Returns what the page asks the browser for. */
export function optionsOf(page: BrowserPage): unknown {
  const [, escaped = ""] = /data-options="([^"]*)"/.exec(page.text) ?? [];
  return JSON.parse(escaped.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&"));
}

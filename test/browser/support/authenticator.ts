import type { JsonObject } from "@bufbuild/protobuf";
import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import type { CDPSession, Page } from "playwright-core";
import type { PageCredential } from "../page/protocol.ts";

/** The protocols that a security key may speak. */
export const keyProtocols = ["u2f", "ctap2", "ctap2_1"] as const;

export interface VirtualKey {
  readonly protocol: (typeof keyProtocols)[number];
  /** Whether it answers without anybody having touched it, as no real one does. */
  readonly isUntouched?: boolean;
}

/** Plugs a security key into the page, which answers by itself. Returns its id, by which `removeKey` pulls it out. */
export async function addKey(devTools: CDPSession, key: VirtualKey): Promise<string> {
  await devTools.send("WebAuthn.enable");
  const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...(key.protocol === "u2f"
        ? { protocol: "u2f" }
        : { protocol: "ctap2", ctap2Version: key.protocol === "ctap2" ? "ctap2_0" : "ctap2_1" }),
      transport: "usb",
      automaticPresenceSimulation: true,
    },
  });
  if (key.isUntouched === true)
    await devTools.send("WebAuthn.setResponseOverrideBits", { authenticatorId, isBadUP: true });
  return authenticatorId;
}

/** Pulls a key out of the page; what it holds is gone. */
export async function removeKey(devTools: CDPSession, authenticatorId: string): Promise<void> {
  await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
}

/** Gives the page a device that keeps passkeys and verifies its user, until `setUser` says that somebody else holds it. */
export async function addDevice(page: Page) {
  const devTools: CDPSession = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setUser: (isUserVerified: boolean) =>
      devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    list: async () => (await devTools.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
  };
}

/** RegistrationResponseJSON (WebAuthn §5.1) as the browser writes it. */
export interface BrowserCredential extends JsonObject {
  id: string;
  response: JsonObject & { clientDataJSON: string; attestationObject: string };
}

/** Returns the credential that was created. Throws when the browser refused. */
export function credentialOf(created: PageCredential): BrowserCredential {
  if (created.kind === "credential") return created.json as BrowserCredential; // the browser wrote it
  throw new Error(`the browser made no credential: ${created.error}`);
}

/** Returns the format of the attestation and the fields of its statement, sorted. */
export function attestationOf(credential: BrowserCredential) {
  const decoded = decodeAttestationObject(fromBase64Url(credential.response.attestationObject));
  const statement = decoded.get("attStmt") as unknown as ReadonlyMap<string, unknown>; // its type has only `get` and `size`
  return { format: decoded.get("fmt"), fields: [...statement.keys()].toSorted() };
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64url"));
}

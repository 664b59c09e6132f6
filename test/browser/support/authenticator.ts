import type { JsonObject } from "@bufbuild/protobuf";
import type { CDPSession } from "playwright-core";
import type { PageCredential } from "../page/protocol.ts";

/** The protocols that a security key may speak. */
export const keyProtocols = ["u2f", "ctap2", "ctap2_1"] as const;

export interface VirtualKey {
  readonly protocol: (typeof keyProtocols)[number];
  /** Whether it answers without anybody having touched it, as no real one does. */
  readonly isUntouched?: boolean;
}

/** Plugs a security key into the page that answers by itself. Returns its id. */
export async function addVirtualAuthenticator(devTools: CDPSession, key: VirtualKey): Promise<string> {
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

/** Returns the credential that was created. Throws when the browser refused. */
export function credentialOf(created: PageCredential): JsonObject {
  if (created.kind === "credential") return created.json;
  throw new Error(`the browser made no credential: ${created.error}`);
}

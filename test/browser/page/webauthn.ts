import type { JsonObject } from "@bufbuild/protobuf";
import type { PageCredential } from "./protocol.ts";

/** What is used of WebAuthn level 3 §5.1. The DOM library of TypeScript would put `document` into every file of ours. */
interface BrowserGlobals {
  readonly navigator: {
    readonly credentials: {
      create(options: { readonly publicKey: unknown }): Promise<{ toJSON(): JsonObject }>;
    };
  };
  readonly PublicKeyCredential: { parseCreationOptionsFromJSON(options: JsonObject): unknown };
}

/** Has the browser register a key, with its own reading and writing of JSON. */
export async function createCredential(options: JsonObject): Promise<PageCredential> {
  const { navigator, PublicKeyCredential } = globalThis as unknown as BrowserGlobals; // as the browser has them
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    return { kind: "credential", json: credential.toJSON() };
  } catch (error) {
    return { kind: "refused", error: error instanceof Error ? error.name : String(error) };
  }
}

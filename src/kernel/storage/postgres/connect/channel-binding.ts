import type { Client, Connection } from "pg";
import { ServerRefusedError } from "./errors.ts";

/** Says afterwards whether the login was bound to the connection. */
export interface ChannelBindingCheck {
  /** Raises ServerRefusedError unless the login is bound to the TLS connection, so that no password is sent otherwise. */
  beforePassword(): void;
  /** Raises ServerRefusedError for a server that has let this process in without a bound login. */
  afterLogin(): void;
}

/** Lets any login pass. */
export const anyLogin: ChannelBindingCheck = { beforePassword: () => {}, afterLogin: () => {} };

/**
 * Watches the login of a client that is not connected yet. The driver binds a login if the server offers to, and takes any other way in
 * without a word (pg 8.23); libpq refuses those with channel_binding=require, and so does this.
 */
export function requireChannelBinding(client: Client): ChannelBindingCheck {
  const connection = (client as unknown as { readonly connection: Connection }).connection; // the driver has no other name for it
  let isOffered = false;
  let isBound = false;
  connection.once("authenticationSASL", ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    isOffered = mechanisms.includes("SCRAM-SHA-256-PLUS");
  });
  // The server proves that it knows the password, for this very connection. The driver compares the proof before the login ends.
  connection.once("authenticationSASLFinal", () => {
    isBound = isOffered;
  });
  return {
    beforePassword() {
      if (!isOffered) throw notBound();
    },
    afterLogin() {
      if (!isBound) throw notBound();
    },
  };
}

function notBound(): ServerRefusedError {
  return new ServerRefusedError(
    "it does not bind the login to the TLS connection, which channel_binding=require demands; let it use scram-sha-256 with ssl = on",
  );
}

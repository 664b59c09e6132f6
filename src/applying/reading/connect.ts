import { readFileSync } from "node:fs";
import { createGatehouse, type Gatehouse, serviceKey, staticToken } from "../../client/client.ts";
import { ConfigurationError } from "./configuration-error.ts";

/** Which service, and who calls it. */
export interface ServiceAddress {
  readonly server: string;
  /** A file with an access token, or with the key of a service user as AddServiceUserKey hands it over. */
  readonly tokenFile: string;
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Connects to a service. Throws ConfigurationError for an address without TLS that is not of this machine, and for a file without a token. */
export function connectService({ server, tokenFile }: ServiceAddress): Gatehouse {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new ConfigurationError("--server must be the URL of the service, such as https://id.example.com");
  const { protocol, hostname } = new URL(server);
  if (protocol === "http:" && !loopback.test(hostname))
    throw new ConfigurationError(
      "--server must begin with https://: the token would be sent without encryption",
    );
  const token = readFileSync(tokenFile, "utf8").trim();
  if (token === "") throw new ConfigurationError(`${tokenFile} is empty`);
  return createGatehouse({
    url: server,
    tokens: token.startsWith("{") ? serviceKey(token) : staticToken(token),
  });
}

import { isMetadataExpired, type SamlConfig } from "./saml-config.ts";
import type { ServiceProvider } from "./service-provider.ts";

const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

/** Says in words what will not work with the metadata in force and the settings, in a fixed order. */
export function findSamlProblems(
  saml: SamlConfig,
  serviceProvider: ServiceProvider,
  nowMs: number,
): readonly string[] {
  const { assertionConsumerServices, encryption, logoutServices, signingKeys, signsRequests } =
    serviceProvider;
  const { settings } = saml;
  const canVerify = signingKeys.length > 0;
  const found: readonly (readonly [isSo: boolean, problem: string])[] = [
    [
      !assertionConsumerServices.some(({ binding }) => binding === post),
      "the metadata has no AssertionConsumerService with the binding HTTP-POST: nobody can log in",
    ],
    [
      settings.encryption === "REQUIRED" && encryption === undefined,
      "encryption is required, but the metadata has no RSA key of 2048 to 8192 bits with a cipher that can be used: nobody can log in",
    ],
    [
      (signsRequests || settings.requireSignedRequests) && !canVerify,
      "requests have to be signed, but the metadata has no key for signing that can be used: no request is accepted",
    ],
    [
      logoutServices.length > 0 && !canVerify,
      "the metadata has a SingleLogoutService, but no key for signing that can be used: the application cannot log users out",
    ],
    [
      isMetadataExpired(saml, nowMs),
      "the validUntil of the metadata has passed: users can still log in, but the keys in it may be out of use",
    ],
  ];
  return [...found.filter(([isSo]) => isSo).map(([, problem]) => problem), ...serviceProvider.problems];
}

/** What the oracle uses of oidc-provider, which comes without types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface ProviderContext {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly provider: {
        readonly Grant: GrantClass;
      };
    };
  }

  export type GrantClass = new (of: {
    readonly accountId: string;
    readonly clientId: string;
  }) => {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  };

  export const interactionPolicy: {
    base(): {
      get(prompt: string): { readonly checks: { remove(reason: string): void } } | undefined;
      add(prompt: object, index: number): void;
    };
    readonly Prompt: new (about: { readonly name: string; readonly requestable: boolean }) => object;
  };

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: GrantClass;
    readonly DeviceCode: {
      findByUserCode(userCode: string): Promise<{ save(): Promise<string> } | undefined>;
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly prompt: { readonly name: string } }>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}

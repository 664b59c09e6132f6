import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import type { Call } from "../kernel/base/call.ts";
import { fieldsInvalid } from "../kernel/base/problem.ts";
import { createDirectories } from "../kernel/outbound/directory/directories.ts";
import { createGuardedFetch } from "../kernel/outbound/guarded-fetch.ts";
import { createApplicationCommands } from "../identity/applications/commands.ts";
import { createOidcApplicationRpcs } from "../identity/applications/oidc/rpc.ts";
import { createMetadataSource } from "../identity/applications/saml/metadata-source.ts";
import { createSamlRpcs } from "../identity/applications/saml/rpc.ts";
import { createUserCommands } from "../identity/people/user/commands.ts";
import { createUserRpcs } from "../identity/people/user/rpc.ts";
import { createUserGrantCommands } from "../identity/user-grants/commands.ts";
import { createUserGrantService } from "../identity/user-grants/rpc.ts";
import { createTwoFactorCheck } from "../identity/user-service/logins.ts";
import { type InstanceId, toId } from "../kernel/base/ids.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../identity/context.ts";
import { createGroupServiceCommands } from "../identity/group-service/commands.ts";
import { createGroupService } from "../identity/group-service/rpc.ts";
import { createProjectCommands } from "../identity/projects/commands.ts";
import { createProjectService } from "../identity/projects/rpc.ts";
import { createIdentityProviderCommands } from "../identity/providers/commands.ts";
import { createIdentityProviderService } from "../identity/providers/rpc.ts";
import type { ServiceImplementation } from "../identity/rpc.ts";
import { createFieldRules } from "../sites/rpc/calls/field-rules/field-rules.ts";

/**
 * Does what an rpc does, in the write of the call, by all rules of the contract but that of the caller's permission. Raises what the rpc
 * raises, and FIELD_INVALID.
 */
export type Order = <I extends DescMessage, O extends DescMessage>(
  call: Call,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
) => Promise<MessageInitShape<O>>;

/** Creates what gives orders to the services that an import needs. */
export function createOrder(context: FeatureContext): Order {
  const fetcher = createGuardedFetch({ dev: false, allowedHosts: [] }); // it says which URLs are refused, and fetches none
  const directories = createDirectories({ dev: false, allowedHosts: [], plainTextHosts: [] }); // likewise
  const source = createMetadataSource({ fetcher, clock: context.clock, dev: false });
  const applications = createApplicationCommands(context, source);
  const hasTwoFactors = createTwoFactorCheck(() => undefined); // it is for people
  const users = createUserCommands({ ...context, hasTwoFactors }, toId<InstanceId>(""));
  const { addServiceUser } = createUserRpcs(users, context);
  const services: readonly Pick<ServiceImplementation, "service" | "rpcs">[] = [
    createProjectService(createProjectCommands(context), context),
    createGroupService(createGroupServiceCommands(context), context),
    createUserGrantService(createUserGrantCommands(context), context),
    { service: UserService, rpcs: { addServiceUser } },
    createIdentityProviderService(createIdentityProviderCommands(context), context, {
      urls: fetcher,
      directories,
    }),
    {
      service: ApplicationService,
      rpcs: { ...createOidcApplicationRpcs(applications, fetcher), ...createSamlRpcs(applications) },
    },
  ];
  const rules = createFieldRules(
    services.flatMap(({ service }) => service.methods.map(({ input }) => input)),
  );
  return async <I extends DescMessage, O extends DescMessage>(
    call: Call,
    method: DescMethodUnary<I, O>,
    init: MessageInitShape<I>,
  ) => {
    const rpc = services.find(({ service }) => service === method.parent)?.rpcs[method.localName];
    if (rpc === undefined || !("run" in rpc)) throw new Error(`no import orders ${method.name}`);
    const request: MessageShape<I> = create(method.input, init);
    const violations = [...rules.check(method.input, request), ...(rpc.check?.(request) ?? [])];
    if (violations.length > 0) throw fieldsInvalid(violations);
    return (await rpc.run(call, request)) as MessageInitShape<O>; // it is the rpc of the method
  };
}

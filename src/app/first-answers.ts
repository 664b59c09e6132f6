import {
  create,
  type DescMessage,
  type DescMethodUnary,
  isMessage,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserSchema } from "../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { Exchange } from "../kernel/http/exchanges/exchange.ts";
import { signalOf } from "../sites/oidc/requests/gone-signal.ts";
import type { ReadFirstAnswers } from "../sites/oidc/endpoints/console-tokens.ts";
import { rpcPathOf } from "../sites/rpc/calls/method.ts";
import { createPipeline, type PipelineOptions } from "../sites/rpc/calls/pipeline.ts";

const { getMyUser } = UserService.method;
const { getMyPermissions } = MembershipService.method;

/**
 * Creates what makes the first calls of the console for it, so that its tokens come with their answers. They go the way of every call,
 * with the access token that was just given.
 */
export function createFirstAnswers(options: PipelineOptions): ReadFirstAnswers {
  const ofFirst = new Set([UserService.typeName, MembershipService.typeName]);
  const services = options.services.filter(({ service }) => ofFirst.has(service.typeName));
  const methods = createPipeline({ ...options, services }).filter((method) => method.kind === "unary");
  const call = async <I extends DescMessage, O extends DescMessage>(
    wanted: DescMethodUnary<I, O>,
    exchange: Exchange,
    token: string,
  ): Promise<MessageShape<O>> => {
    const method = methods.find(({ descriptor }) => descriptor === wanted);
    if (method === undefined) throw new Error(`no service answers ${wanted.name}`);
    const { requestId, remoteAddress } = exchange;
    const arrival = {
      requestId,
      remoteAddress,
      verb: "POST",
      path: rpcPathOf(wanted),
      deadlineMs: undefined,
      signal: signalOf(exchange),
      header: (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined),
      answerHeader: () => {},
    };
    const answer = await method.call(arrival, () => Promise.resolve(create(wanted.input)));
    if (!isMessage(answer, wanted.output)) throw new Error(`${wanted.name} has an answer of another type`);
    return answer;
  };
  return async (exchange, token) => {
    const [{ user }, permissions] = await Promise.all([
      call(getMyUser, exchange, token),
      call(getMyPermissions, exchange, token),
    ]);
    if (user === undefined) throw new Error("GetMyUser has answered without a user");
    return {
      user: Buffer.from(toBinary(UserSchema, user)).toString("base64"),
      permissions: Buffer.from(toBinary(getMyPermissions.output, permissions)).toString("base64"),
    };
  };
}

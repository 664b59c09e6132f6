import { expect } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { answerOf, refusalOf, type TestService } from "../../support/service.ts";
import { idOf } from "../../support/world.ts";

interface By {
  readonly lane?: "rest" | "grpc";
  readonly token?: string;
}

/** Calls of somebody who changes objects over REST and reads them over gRPC, unless another token is given. */
export function createLifeCalls(service: TestService, ownToken: string) {
  const send = <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    { lane = "rest", token = ownToken }: By = {},
  ) => service.clients[lane].call(method, request, { token });

  const reasonOf = async <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    by?: By,
  ) => {
    const outcome = await send(method, request, by);
    return outcome.kind === "answer" ? "answered" : refusalOf(outcome).reason;
  };

  /** Returns the details of the answer. */
  async function change<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    token = ownToken,
  ) {
    return answerOf(await send(method, request, { token }))["details"] as JsonObject; // every change answers it
  }

  return {
    send,
    reasonOf,
    change,
    /** Changes something, and again, when nothing is left to change. */
    async changeOnce<M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) {
      const details = await change(method, request);
      expect(await change(method, request)).toEqual(details);
      return details;
    },
    /** Returns what the field of the answer holds. */
    async read<M extends DescMethodUnary>(
      field: string,
      method: M,
      request: MessageInitShape<M["input"]>,
      token = ownToken,
    ) {
      return answerOf(await send(method, request, { lane: "grpc", token }))[field] as JsonObject; // or a list: its use says
    },
    /** Says how a call with the token ends. */
    enter: (token: string) => reasonOf(UserService.method.getMyUser, {}, { lane: "grpc", token }),
    /** Removes something, which is later than what was read before, and is not found from then on. */
    async remove(method: DescMethodUnary, request: Record<string, unknown>, before: JsonObject) {
      const details = await change(method, request);
      const { creationDate, resourceOwner, sequence } = before["details"] as JsonObject;
      expect(details).toMatchObject({ creationDate, resourceOwner });
      expect(BigInt(idOf(details, "sequence"))).toBeGreaterThan(BigInt(sequence as string));
      expect(await reasonOf(method, request, { lane: "grpc" })).toBe("NOT_FOUND");
    },
  };
}

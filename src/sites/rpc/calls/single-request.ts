import type { Message } from "@bufbuild/protobuf";
import { notOneMessage } from "../errors/refusals.ts";

/** Takes the only request of a call. Raises UNIMPLEMENTED, with the reason INVALID_REQUEST, for none and for more. */
export async function single(requests: AsyncIterable<Message>): Promise<Message> {
  let only: Message | undefined;
  for await (const request of requests) {
    if (only !== undefined) throw notOneMessage("more than one");
    only = request;
  }
  if (only === undefined) throw notOneMessage("none");
  return only;
}

/** Does the same with requests that are already there. */
export function singleOf(requests: Iterable<Message>): Message {
  let only: Message | undefined;
  for (const request of requests) {
    if (only !== undefined) throw notOneMessage("more than one");
    only = request;
  }
  if (only === undefined) throw notOneMessage("none");
  return only;
}

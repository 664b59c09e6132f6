import { type DescMethod, fromBinary, type Message } from "@bufbuild/protobuf";
import { requestInvalid } from "../../../../kernel/base/problem.ts";
import { scanBinary } from "./scan.ts";

/** Decodes a message of binary protobuf. Raises INVALID_REQUEST, also for text that is not UTF-8. */
export function decodeBinary({ input }: DescMethod, bytes: Uint8Array): Message {
  scanBinary(input, bytes);
  try {
    return fromBinary(input, bytes);
  } catch {
    throw requestInvalid(`the message is not a valid ${input.typeName} in protobuf`);
  }
}

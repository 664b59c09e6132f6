import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import type { Call } from "../../kernel/base/call.ts";
import { toDetailsAnswer, toObjectDetails, toRemovalAnswer } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { AskedTexts, CustomTexts, CustomTextsCommands, TextsOwner } from "./commands.ts";
import { checkCustomTexts, checkTextLanguage } from "./custom-texts.ts";

interface OfLanguage {
  readonly language: string;
}

/** Maps the messages of CustomTextService to commands. */
export function createCustomTextService(commands: CustomTextsCommands): ServiceImplementation {
  const check = ({ language }: OfLanguage) => checkTextLanguage(language);
  const get = (of: TextsOwner) => ({
    check,
    run: async (call: Call, { language }: OfLanguage) => ({
      texts: toMessage(await commands.get(call, of, language)),
    }),
  });
  const set = (of: TextsOwner) => ({
    check: (request: AskedTexts) => checkCustomTexts(of, request),
    run: async (call: Call, request: AskedTexts) => toDetailsAnswer(await commands.set(call, of, request)),
  });
  return implementService(CustomTextService, {
    getCustomTexts: get("organization"),
    setCustomTexts: set("organization"),
    resetCustomTexts: {
      check,
      run: async (call, { language }) => toRemovalAnswer(await commands.reset(call, language)),
    },
    getDefaultCustomTexts: get("instance"),
    setDefaultCustomTexts: set("instance"),
  });
}

function toMessage({ details, language, texts }: CustomTexts) {
  return {
    ...(details === undefined ? {} : { details: toObjectDetails(details) }),
    language,
    texts: [...texts],
  };
}

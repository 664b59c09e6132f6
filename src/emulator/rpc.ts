import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  EmulatorService,
  MessageKind,
  SignInResult,
} from "../../gen/gatehouse/emulator/v1/emulator_service_pb.ts";
import { SessionMethod as SessionMethodValue } from "../../gen/gatehouse/v1/session_pb.ts";
import { valueName } from "../identity/messages.ts";
import { implementService, type ServiceImplementation } from "../identity/rpc.ts";
import type { SessionMethod } from "../identity/logins/sessions/session.ts";
import type { Call } from "../kernel/base/call.ts";
import { requestInvalid } from "../kernel/base/problem.ts";
import type { EmulatorCommands } from "./commands.ts";
import { codeIn, linksIn, type SentMessage } from "./message-box.ts";

const defaultLimit = 50;

/** Maps the messages of EmulatorService to its commands. */
export function createEmulatorService(commands: EmulatorCommands): ServiceImplementation {
  return implementService(EmulatorService, {
    advanceClock: {
      run: async (call, { seconds }) => {
        requirePlain(call);
        return { date: timestampFromMs(await commands.advanceClock(Number(seconds) * 1000)) };
      },
    },
    getClient: { run: async (_call, { application }) => await commands.getClient(application) },
    listMessages: {
      run: async (call, { recipient, kind, limit, waitMs }) => {
        const filter = { recipient, kind: toKind(kind), limit: limit === 0 ? defaultLimit : limit };
        const messages = await commands.listMessages(filter, { waitMs, signal: call.signal });
        return { messages: messages.map(toMessage) };
      },
    },
    reset: {
      run: async (call) => {
        requirePlain(call);
        await commands.reset();
        return {};
      },
    },
    setResetPoint: {
      run: async (call) => {
        requirePlain(call);
        await commands.setResetPoint();
        return {};
      },
    },
    signIn: {
      run: async (call, request) => {
        requirePlain(call);
        const { methods, result, ...asked } = request;
        const signedIn = await commands.signIn(call, {
          ...asked,
          result: result === SignInResult.CODE ? "CODE" : "TOKENS",
          methods: methods.map(toMethod),
        });
        const { tokens, ...answer } = signedIn;
        return { ...answer, ...(tokens === undefined ? {} : { tokens: toTokens(tokens) }) };
      },
    },
  });
}

/** What these calls do is more than one transaction, so it can be neither tried nor repeated as one. */
function requirePlain({ unit, isDryRun }: Call): void {
  if (unit !== undefined || isDryRun === true)
    throw requestInvalid("EmulatorService takes neither idempotency-key nor x-service-validate-only");
}

function toKind(kind: MessageKind): SentMessage["kind"] | undefined {
  if (kind === MessageKind.UNSPECIFIED) return undefined;
  return kind === MessageKind.EMAIL ? "EMAIL" : "SMS";
}

function toMessage({ kind, dateMs, ...message }: SentMessage) {
  return {
    ...message,
    kind: MessageKind[kind],
    links: [...linksIn(message.text)],
    code: codeIn(message.text),
    date: timestampFromMs(dateMs),
  };
}

function toMethod(value: SessionMethodValue): SessionMethod {
  return valueName(SessionMethodValue, value) as SessionMethod; // by the rules of the field
}

type Tokens = NonNullable<Awaited<ReturnType<EmulatorCommands["signIn"]>>["tokens"]>;

function toTokens(tokens: Tokens) {
  return {
    accessToken: tokens.access_token,
    tokenType: tokens.token_type,
    expiresIn: tokens.expires_in,
    scope: tokens.scope ?? "",
    idToken: tokens.id_token ?? "",
    refreshToken: tokens.refresh_token ?? "",
  };
}

import type {
  DescMessage,
  DescMethodUnary,
  Message,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { Caller } from "../../../kernel/base/call.ts";
import type { Database, WriteTransaction } from "../../../kernel/base/database.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/** An rpc with its request. */
export interface RpcCall<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  readonly method: DescMethodUnary<I, O>;
  readonly request: MessageInitShape<I>;
}

/** The transaction of a request. */
export interface RpcUnit {
  readonly tx: WriteTransaction;
  /** Makes a call as the caller of the request, with all its checks, on what the calls before it have left. Raises what the rpc raises. */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>>;
}

/** A request whose caller is known, and may read the resources of the type. */
export interface KnownRequest {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly organizationId: string;
}

/** Makes the calls that a request of SCIM stands for. */
export interface RpcCalls {
  /** Finds the caller, requires that they may make a call on the organization, and reads. `work` may run twice. */
  read<T>(
    asked: { readonly exchange: Exchange; readonly organizationId: string; readonly like: RpcCall },
    work: (request: KnownRequest) => Promise<T>,
  ): Promise<T>;
  /** Makes all calls of `work` in one transaction. `first` takes long before it writes, and comes first. */
  write<T>(
    request: KnownRequest,
    work: (unit: RpcUnit, answer: Message | undefined) => Promise<T>,
    first?: RpcCall,
  ): Promise<T>;
}

/** What the site works with. */
export interface ScimOptions {
  readonly calls: RpcCalls;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly bodies: BodyReader;
  /** Undefined: the service has none, and URLs of resources are paths. */
  readonly issuer: () => string | undefined;
}

/** A request with all that it takes to answer it. */
export interface ScimRequest extends KnownRequest {
  readonly options: ScimOptions;
  /** The URL of the organization, below which its resources are. */
  readonly baseUrl: string;
  /** Whether the caller may read groups of the organization. */
  readonly hasGroups: boolean;
  /** Whether the addresses that the service user sets are trusted: to be asked again in the write. */
  readonly trustsMail: boolean;
}

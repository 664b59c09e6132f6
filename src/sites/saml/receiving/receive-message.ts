import type { KeyObject } from "node:crypto";
import type { FeatureContext } from "../../../identity/context.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import { isFormType } from "../../../kernel/http/bodies/form-type.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { isFetchedByPage } from "../../../kernel/http/exchanges/navigation.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { TextDocument } from "../../../kernel/xml/text-document.ts";
import { decodeMessage } from "../bindings/decode-message.ts";
import { type PostedMessage, readPostBody } from "../bindings/post-body.ts";
import type { MessageKind } from "../bindings/parameters.ts";
import { readRedirectQuery, type RedirectQuery } from "../bindings/redirect-query.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import { type MessageHead, requireDelivered } from "../messages/message-head.ts";
import type { FoundSender, KnownServiceProvider, ServiceProviders } from "../parties/service-providers.ts";
import type { SignatureFinding } from "../../../kernel/xml/signatures/signature-finding.ts";
import { verifyDocument } from "../../../kernel/xml/signatures/verify-document.ts";
import { verifyQuery } from "../signatures/verify-query.ts";
import { type MessageMarks, type MessageNotes, noteRefused } from "./message-log.ts";
import type { RefusalLimit } from "./refusal-limit.ts";

/** What messages are received with. */
export interface ReceivingPorts extends MessageNotes {
  readonly context: Pick<FeatureContext, "database" | "clock">;
  readonly bodies: Pick<BodyReader, "read">;
  readonly serviceProviders: ServiceProviders;
  readonly refusals: RefusalLimit;
}

/** A request that brings a message. */
export interface MessageVisit {
  readonly exchange: Exchange;
  /** Our URL of the path, to which the message has to be addressed. */
  readonly url: string;
}

/** What a path takes in one of the two parameters. */
export interface MessageReader<M> {
  /** Reads it. Raises a SamlFault for any other document. */
  read(document: TextDocument): M;
  /** Says whether the message counts only with a signature. */
  isSignatureRequired(sender: KnownServiceProvider): boolean;
}

/** The readers of a path. */
export type MessageReaders<M> = Readonly<Partial<Record<MessageKind, MessageReader<M>>>>;

/** What a path takes, and what it calls its messages. */
export interface MessagePath<M, J> {
  readonly readers: MessageReaders<M>;
  readonly marks: MessageMarks;
  /** Checks a message that is in order. Raises a SamlFault, which is noted as others are. */
  check(received: ReceivedMessage<M>): J;
}

/** A message that is what its sender has said, and is meant for us and for now. */
export interface ReceivedMessage<M> {
  readonly message: M;
  readonly binding: "redirect" | "post";
  /** As it was encoded. */
  readonly relayState: string | undefined;
  readonly sender: KnownServiceProvider;
  readonly isSigned: boolean;
}

/**
 * Receives a message: reads it, finds its sender, verifies its signature, and checks it. What is wrong with it is noted, and
 * raised as a SamlFault: a page, which says nothing to the service provider. The caller that takes it notes what is in order. What
 * a page fetches is refused before that, and does not count: any page of another site could use up the limit of its visitors'
 * network.
 */
export async function receiveMessage<M extends MessageHead, J>(
  ports: ReceivingPorts,
  visit: MessageVisit,
  path: MessagePath<M, J>,
): Promise<ReceivedMessage<M> & { readonly checked: J }> {
  const { exchange } = visit;
  const { remoteAddress } = exchange;
  if (isFetchedByPage(exchange)) throw new PageRefusal("not-a-visit");
  ports.refusals.requireBelow(remoteAddress);
  const binding = exchange.verb === "POST" ? "post" : "redirect";
  let applicationId: string | undefined;
  try {
    const bound = await readBound(ports, exchange);
    const reader = path.readers[bound.kind];
    if (reader === undefined) throw new SamlFault("parameter", "this path takes no such message");
    const document = decodeMessage(bound);
    const message = reader.read(document);
    const found = await findSender(ports, message.issuer);
    applicationId = found?.applicationId;
    const sender = found?.active;
    // All that follows is the same for senders that are unknown or switched off: they have no keys. A signature takes less time without:
    // the entity ids of applications in use are public.
    const finding = await verify(bound, document, sender?.serviceProvider.signingKeys ?? []);
    if (found === undefined) throw new SamlFault("issuer", "the service provider is unknown");
    if (sender === undefined) throw new SamlFault("inactive", "the application is not active");
    const isSigned = requireSigned(finding, reader.isSignatureRequired(sender));
    requireDelivered(message, { url: visit.url, isSigned, nowMs: ports.context.clock.nowMs() });
    const received = { message, binding, relayState: bound.relayState, sender, isSigned } as const;
    return { ...received, checked: path.check(received) };
  } catch (error) {
    if (error instanceof SamlFault) {
      ports.refusals.count(remoteAddress);
      noteRefused(ports, error, { ...path.marks, binding, applicationId });
    }
    throw error;
  }
}

/** The largest body of a POST. */
const maxBodyBytes = 131_072;

/** SAML Bindings §3.4, §3.5. */
async function readBound(
  { bodies }: ReceivingPorts,
  exchange: Exchange,
): Promise<RedirectQuery | PostedMessage> {
  if (exchange.verb !== "POST") return readRedirectQuery(exchange.query ?? "");
  if (!isFormType(exchange.header("content-type"))) throw new SamlFault("form", "the body is not a form");
  return readPostBody(await bodies.read(exchange, maxBodyBytes));
}

/** The Issuer has to be the entity id byte for byte (SAML Core §8.3.6, Metadata §2.3.2). */
async function findSender(
  { context, serviceProviders }: ReceivingPorts,
  entityId: string,
): Promise<FoundSender | undefined> {
  return await context.database.read((tx) => serviceProviders.findByEntityId(tx, entityId));
}

/** SAML Bindings §3.4.4.1, §3.5.4: a message in a query is signed beside, one in a form inside. */
async function verify(
  bound: RedirectQuery | PostedMessage,
  document: TextDocument,
  keys: readonly KeyObject[],
): Promise<SignatureFinding> {
  return bound.binding === "post" ? await verifyDocument(document, keys) : await verifyQuery(bound, keys);
}

/** SAML Core §5: a signature has to be good, whether it is required or not. */
function requireSigned(finding: SignatureFinding, isRequired: boolean): boolean {
  switch (finding.kind) {
    case "good":
      return true;
    case "bad": {
      const { reason, algorithm } = finding;
      const rule = `the signature is bad: ${reason}`;
      throw new SamlFault("signature", rule, algorithm === undefined ? {} : { algorithm });
    }
    case "absent":
      if (isRequired) throw new SamlFault("unsigned", "the message has to be signed");
      return false;
  }
}

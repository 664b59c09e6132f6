import { describe, expect, test } from "@jest/globals";
import { type ApplicationId, type SessionId, toId } from "../../../../src/kernel/base/ids.ts";
import {
  askMember,
  type AskedMember,
  beginChain,
  hasSession,
  type LogoutAsker,
  type LogoutChain,
  type LogoutMember,
  needsPage,
  nextMove,
  proveSession,
  takeAnswer,
} from "../../../../src/sites/saml/logout/chain.ts";

const asker: LogoutAsker = { kind: "page", path: "/account/signed-out" };

const memberOf = (name: string): LogoutMember => ({
  applicationId: toId<ApplicationId>(name),
  sessionId: toId<SessionId>("7"),
  nameId: { format: "PERSISTENT", value: `user of ${name}` },
  otherNames: [],
  sessionIndex: `_${name}`,
});
const [first, second] = [memberOf("first"), memberOf("second")];
const asked: AskedMember = { ...first, requestId: "_1" };

const chainOf = (chain: Partial<LogoutChain>): LogoutChain => ({
  asker,
  unproved: undefined,
  waiting: [],
  asked: undefined,
  isPartial: false,
  visits: 0,
  ...chain,
});

describe("a browser visits the applications", () => {
  const own = { valueHash: "own", members: [first] };
  const other = { valueHash: "other", members: [second] };

  test("of its own session, and of no other one", () => {
    const begun = beginChain(asker, { unproved: [other, own], isPartial: false });
    expect(proveSession(begun, "own")).toEqual(chainOf({ waiting: [first], isPartial: true }));
    expect(hasSession(begun, "own")).toBe(true);
  });

  test("without a word of PartialLogout where other sessions had none", () => {
    const begun = beginChain(asker, {
      unproved: [own, { valueHash: "other", members: [] }],
      isPartial: false,
    });
    expect(proveSession(begun, "own").isPartial).toBe(false);
  });

  test.each([undefined, "another"])("of none with the value %s", (valueHash) => {
    const begun = beginChain(asker, { unproved: [own], isPartial: false });
    expect(proveSession(begun, valueHash)).toEqual(chainOf({ isPartial: true }));
    expect(hasSession(begun, valueHash)).toBe(false);
  });

  test("and shows its session only once", () => {
    const chain = chainOf({ waiting: [first] });
    expect(proveSession(chain, undefined)).toBe(chain);
  });
});

describe("the next move", () => {
  test("is the first who waits", () => {
    const move = nextMove(chainOf({ waiting: [first, second] }));
    expect(move).toEqual({ kind: "ask", member: first, rest: chainOf({ waiting: [second] }) });
  });

  test.each([
    ["ended its session", true, false],
    ["not ended it", false, true],
  ])("follows an application that has %s", (_, isLoggedOut, isPartial) => {
    const chain = chainOf({ asked: { ...asked, isLoggedOut }, waiting: [second] });
    expect(nextMove(chain)).toEqual({ kind: "ask", member: second, rest: chainOf({ isPartial }) });
    expect(nextMove({ ...chain, waiting: [] })).toEqual({ kind: "answer", isPartial });
  });

  test("is the same application once more without its answer, and then the one behind it", () => {
    const chain = chainOf({ asked, waiting: [second] });
    const again = nextMove(chain);
    expect(again).toEqual({
      kind: "ask-again",
      member: { ...asked, isAskedAgain: true },
      rest: chainOf({ waiting: [second] }),
    });
    const silent = askMember(chainOf({ waiting: [second] }), { ...asked, isAskedAgain: true }, "post");
    expect(nextMove(silent)).toEqual({ kind: "ask", member: second, rest: chainOf({ isPartial: true }) });
  });

  test("is an application that has not ended its session, by each name that it was given before", () => {
    const [last, before, earliest] = ["c", "b", "a"].map((value) => ({
      format: "TRANSIENT" as const,
      value,
    }));
    if (last === undefined || before === undefined || earliest === undefined) throw new Error("no names");
    const named = { ...asked, nameId: last, otherNames: [before, earliest], isAskedAgain: true };
    const chain = chainOf({ asked: { ...named, isLoggedOut: false }, waiting: [second] });
    const rest = chainOf({ waiting: [second] });
    const byBefore = { ...first, nameId: before, otherNames: [earliest] };
    expect(nextMove(chain)).toEqual({ kind: "ask", member: byBefore, rest });
    const silent = { ...chain, asked: named };
    expect(nextMove(silent)).toMatchObject({ member: second, rest: { isPartial: true } });
    const ended = { ...chain, asked: { ...named, isLoggedOut: true } };
    expect(nextMove(ended)).toEqual({ kind: "ask", member: second, rest: chainOf({}) });
  });

  test("keeps that a logout is partial", () => {
    const chain = chainOf({ asked: { ...asked, isLoggedOut: true }, isPartial: true });
    expect(nextMove(chain)).toEqual({ kind: "answer", isPartial: true });
  });
});

test("a page is shown after five redirects to applications; a form is a page itself", () => {
  const redirected = (times: number, from = chainOf({})): LogoutChain =>
    times === 0 ? from : redirected(times - 1, askMember(from, asked, "redirect"));
  expect([needsPage(redirected(4)), needsPage(redirected(5))]).toEqual([false, true]);
  expect(needsPage(askMember(redirected(5), asked, "post"))).toBe(false);
});

describe("an answer", () => {
  const { applicationId } = first;
  const answer = { applicationId, requestId: "_1", isLoggedOut: true };

  test("is noted", () => {
    const taken = takeAnswer(chainOf({ asked, waiting: [second] }), answer);
    expect(taken).toEqual(chainOf({ asked: { ...asked, isLoggedOut: true }, waiting: [second] }));
  });

  test.each([
    ["another application", { ...answer, applicationId: second.applicationId }],
    ["another request", { ...answer, requestId: "_2" }],
    ["no request", { ...answer, requestId: undefined }],
  ])("of %s is not waited for", (_, wrong) => {
    expect(takeAnswer(chainOf({ asked, waiting: [second] }), wrong)).toBeUndefined();
  });

  test.each([true, false])("is not waited for when one came before, which said %s", (isLoggedOut) => {
    const answered = chainOf({ asked: { ...asked, isLoggedOut }, waiting: [second] });
    for (const later of [true, false])
      expect(takeAnswer(answered, { ...answer, isLoggedOut: later })).toBeUndefined();
  });

  test("is not waited for where nobody was asked", () => {
    expect(takeAnswer(chainOf({ waiting: [first] }), answer)).toBeUndefined();
    expect(takeAnswer(chainOf({}), { ...answer, requestId: undefined })).toBeUndefined();
  });
});

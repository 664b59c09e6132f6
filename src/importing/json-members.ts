import { releaseMemory } from "../kernel/base/memory/release-memory.ts";
import Assembler from "stream-json/assembler.js";
import { parseFile } from "stream-json/file/parser.js";
import type { Token } from "stream-json/parser.js";

/** The JSON of a file is no object, is damaged, or is cut off. */
export class JsonFault extends Error {}

/** Any object of JSON. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** A member of an object or, where its elements are wanted, one of them, from 1. */
export interface JsonMember {
  readonly name: string;
  readonly value: unknown;
  readonly index: number;
  /** The number of the object, from 1. */
  readonly object: number;
}

/** What is wanted of a member: its value, each element of the array that it is, or nothing. */
export type Wanted = "value" | "elements" | "nothing";

/**
 * Reads the members of the JSON object in a file in their order or, with `within`, those of each object in the array that this member of
 * it is. What is not wanted takes no memory, however large it is, and elements take it one after the other. Throws JsonFault.
 */
export async function* readMembers(
  file: string,
  wanted: (name: string) => Wanted,
  within?: string,
): AsyncIterable<JsonMember> {
  /** So deep are the keys of the members. */
  const base = within === undefined ? 1 : 3;
  let [depth, index, object] = [0, 0, within === undefined ? 1 : 0];
  let [top, name] = ["", ""];
  let assembler: Assembler | undefined;
  for await (const token of readTokens(file)) {
    const opens = token.name === "startObject" || token.name === "startArray";
    const closes = token.name === "endObject" || token.name === "endArray";
    if (depth === 0 && token.name !== "startObject") throw new JsonFault("it is no JSON object");
    if (depth === 1 && token.name === "keyValue") top = token.value;
    const isInside = within === undefined || top === within;
    if (isInside && depth === base - 1 && token.name === "startObject") object += base === 1 ? 0 : 1;
    if (isInside && depth === base && token.name === "keyValue") {
      name = token.value;
      index = 0;
    } else if (isInside && depth >= base && !(depth === base && closes)) {
      const isElement = wanted(name) === "elements";
      // The array itself is not assembled, only what is in it.
      const isPart = isElement ? depth > base && !(depth === base + 1 && closes) : wanted(name) === "value";
      if (isPart) {
        assembler ??= new Assembler();
        assembler.consume(token);
        if (assembler.done) {
          index += 1;
          yield { name, value: assembler.current, index, object };
          assembler = undefined;
        }
      }
    }
    if (opens) depth += 1;
    if (closes) depth -= 1;
  }
  if (top === "" && depth === 0 && index === 0) throw new JsonFault("it is empty");
  if (depth > 0) throw new JsonFault("it is cut off");
}

const tokensOfMemory = 400_000;
/** So many characters take as much memory as a token. */
const charactersOfToken = 50;

/** Messages of the library hold what the file holds, which may be a secret. */
async function* readTokens(file: string): AsyncIterable<Token> {
  let garbage = 0;
  try {
    for await (const token of parseFile({ streamValues: false })(file)) {
      // V8 lets garbage grow to many times of what is in use: each token is some, and its text.
      garbage +=
        1 +
        ("value" in token && typeof token.value === "string" ? token.value.length / charactersOfToken : 0);
      if (garbage >= tokensOfMemory) {
        releaseMemory();
        garbage = 0;
      }
      yield token;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error) throw error;
    throw new JsonFault("it is damaged or cut off", { cause: error });
  }
}

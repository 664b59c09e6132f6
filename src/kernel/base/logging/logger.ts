import pino, { type Logger } from "pino";
import { createLogOutput } from "./log-output.ts";

/** Creates the logger: one JSON object per line on stderr, written at once so that no line is lost. Each line gets the fields of that moment. */
export function createLogger(level: string, fields?: () => Readonly<Record<string, string>>): Logger {
  const mixin = fields === undefined ? {} : { mixin: fields };
  const settings = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, ...mixin };
  return pino(settings, createLogOutput(2));
}

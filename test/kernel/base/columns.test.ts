import { describe, expect, test } from "@jest/globals";
import { defineColumns, flag, optionalText, text } from "../../../src/kernel/base/columns.ts";

interface Settings {
  readonly name: string;
  readonly isOpen: boolean;
  readonly language: string;
}

interface Payload {
  readonly name: string;
  readonly is_open: boolean;
  readonly language?: string;
}

const columns = defineColumns<Settings, Payload>({
  name: text("name"),
  isOpen: flag("is_open"),
  language: optionalText("language"),
});

describe("columns", () => {
  test("name themselves and the values of a payload in one order", () => {
    expect(columns.names).toEqual(["name", "is_open", "language"]);
    expect(columns.toValues({ name: "x", is_open: true, language: "de" })).toEqual(["x", 1, "de"]);
    expect(columns.toValues({ is_open: false, name: "" })).toEqual(["", 0, null]);
  });

  test("read an object back from a row, and leave other columns out", () => {
    const row = { language: null, is_open: 0, name: "x", state: "ACTIVE" };
    expect(columns.fromRow(row)).toEqual({ name: "x", isOpen: false, language: "" });
    expect(columns.fromRow({ ...row, is_open: 1, language: "de" })).toEqual({
      name: "x",
      isOpen: true,
      language: "de",
    });
  });
});

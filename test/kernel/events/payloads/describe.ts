import {
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
  type TypeReference,
} from "typescript/unstable/sync";
import { isInterfaceDeclaration } from "typescript/unstable/ast/is";
import { definitionOf, eventTypes, type RecordedPayload } from "../../../../src/kernel/events/catalogue.ts";
import type { payloadUpgrades } from "../../../../src/kernel/events/older-payloads.ts";
import type { EventPayloads, EventType } from "../../../../src/kernel/events/payloads.ts";
import { type CompiledProject, toAbsolute } from "../../../support/compiled-project.ts";

/** A type as JSON: its name, a list of the one element type, or an object whose optional keys end in `?`. */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

/** The payload of each version of each type of event. */
export type PayloadShapes = Readonly<Record<string, Readonly<Record<string, Shape>>>>;

/** The types that the compiler is asked about; it finds them by the name of this interface. */
export interface Asked {
  readonly written: EventPayloads;
  readonly read: { readonly [T in EventType]: RecordedPayload<T> };
  readonly upgrades: typeof payloadUpgrades;
}

/** An upgrade by the types of what it takes and gives. */
export interface UpgradeTypes {
  readonly from: Type;
  readonly to: Type;
}

/** What the compiler knows of the payloads. */
export interface CompiledPayloads {
  /** Describes every version of every type. A personal field may always be absent, so it is optional here. */
  describeAll(): PayloadShapes;
  /** Lists the upgrades of a type, from version 1. */
  upgradesOf(type: EventType): readonly UpgradeTypes[];
  /** Finds the type of a payload as appliers read it. */
  readTypeOf(type: EventType): Type;
  /** Lists the fields that a payload may lack. */
  optionalFieldsOf(payload: Type): readonly string[];
}

/** Reads the payloads of the catalogue. */
export function readPayloads({ checker, program }: CompiledProject): CompiledPayloads {
  const typeOf = (symbol: Symbol | undefined) => required(checker.getTypeOfSymbol(required(symbol)));
  const propertyOf = (type: Type, name: string) => typeOf(checker.getPropertyOfType(type, name));
  const asked = program
    .getSourceFile(toAbsolute("test/kernel/events/payloads/describe.ts"))
    ?.statements.find((statement) => isInterfaceDeclaration(statement) && statement.name.text === "Asked");
  if (asked === undefined || !isInterfaceDeclaration(asked)) throw new Error("there is no interface Asked");
  const askedType = checker.getDeclaredTypeOfSymbol(required(checker.getSymbolAtLocation(asked.name)));
  const find = (property: keyof Asked, type: EventType) => propertyOf(propertyOf(askedType, property), type);

  const upgradesOf = (type: EventType): readonly UpgradeTypes[] => {
    const upgrades = checker.getPropertyOfType(propertyOf(askedType, "upgrades"), type);
    if (upgrades === undefined) return [];
    return checker.getTypeArguments(typeOf(upgrades) as TypeReference).map((upgrade) => {
      const signature = required(checker.getSignaturesOfType(upgrade, SignatureKind.Call)[0]);
      return {
        from: required(checker.getParameterType(signature, 0)),
        to: required(checker.getReturnTypeOfSignature(signature)),
      };
    });
  };
  const describe = (type: Type, personal: readonly string[]): Shape => {
    if (checker.isArrayType(type))
      return [describe(required(checker.getTypeArguments(type as TypeReference)[0]), [])];
    if (!type.isObjectType() && !type.isIntersectionType()) return checker.typeToString(type);
    const fields = checker.getPropertiesOfType(type).map((field) => {
      const fieldType = required(checker.getNonNullableType(typeOf(field)));
      const isOptional = isOptionalField(field) || personal.includes(field.name);
      return [isOptional ? `${field.name}?` : field.name, describe(fieldType, [])] as const;
    });
    return Object.fromEntries(fields.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  };
  return {
    describeAll() {
      const described = eventTypes.map((type) => {
        const { personal = [] } = definitionOf(type);
        const versions = [...upgradesOf(type).map(({ from }) => from), find("written", type)];
        const shapes = versions.map((payload, index) => [index + 1, describe(payload, personal)] as const);
        return [type, Object.fromEntries(shapes)] as const;
      });
      return Object.fromEntries(described);
    },
    upgradesOf,
    readTypeOf: (type) => find("read", type),
    optionalFieldsOf: (payload) =>
      checker
        .getPropertiesOfType(payload)
        .filter((field) => isOptionalField(field))
        .map(({ name }) => name),
  };
}

function isOptionalField({ flags }: Symbol): boolean {
  return (flags & SymbolFlags.Optional) !== 0;
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the compiler does not know what the catalogue says");
  return value;
}

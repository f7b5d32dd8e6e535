import { fail } from "../../domain/shared/result.ts";

/** Why a text is not a filter. `position` counts UTF-16 units from its start; the message names what was expected. */
export interface FilterFailure {
  readonly position: number;
  readonly message: string;
}

export const refuse = (position: number, message: string) => fail<FilterFailure>({ position, message });

/** The syntax tree of a filter, before its names are checked. Positions are those of the first character. */
export type Syntax = CallSyntax | ListSyntax | LiteralSyntax | NameSyntax;

export interface CallSyntax {
  readonly kind: "call";
  readonly name: string;
  readonly position: number;
  readonly operands: readonly Syntax[];
}

export interface ListSyntax {
  readonly kind: "list";
  readonly position: number;
  readonly items: readonly LiteralSyntax[];
}

export interface LiteralSyntax {
  readonly kind: "literal";
  readonly position: number;
  readonly value: string | number | boolean | null;
}

export interface NameSyntax {
  readonly kind: "name";
  readonly name: string;
  readonly position: number;
}

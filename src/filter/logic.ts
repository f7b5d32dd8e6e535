/** Leaves joined by `and`, `or` and `not`. Trees are a few times as deep as a filter may be nested (MAX_NESTING). */
export type Logic<Leaf> =
  | { readonly kind: "leaf"; readonly leaf: Leaf }
  | { readonly kind: "and" | "or"; readonly operands: readonly Logic<Leaf>[] }
  | { readonly kind: "not"; readonly operand: Logic<Leaf> };

export const leaf = <Leaf>(value: Leaf): Logic<Leaf> => ({ kind: "leaf", leaf: value });
export const not = <Leaf>(operand: Logic<Leaf>): Logic<Leaf> => ({ kind: "not", operand });

/** All operands are true. A single operand is returned itself. */
export const and = <Leaf>(operands: readonly Logic<Leaf>[]): Logic<Leaf> => joined("and", operands);

/** Some operand is true; false without operands. */
export const or = <Leaf>(operands: readonly Logic<Leaf>[]): Logic<Leaf> => joined("or", operands);

const joined = <Leaf>(kind: "and" | "or", operands: readonly Logic<Leaf>[]): Logic<Leaf> => {
  const [only, another] = operands;
  return only !== undefined && another === undefined ? only : { kind, operands };
};

/** A fold of a tree, from the leaves upwards. */
export interface LogicFold<Leaf, T> {
  leaf(leaf: Leaf): T;
  and(operands: readonly T[]): T;
  or(operands: readonly T[]): T;
  not(operand: T): T;
}

export function foldLogic<Leaf, T>(tree: Logic<Leaf>, fold: LogicFold<Leaf, T>): T {
  switch (tree.kind) {
    case "leaf":
      return fold.leaf(tree.leaf);
    case "and":
      return fold.and(tree.operands.map((operand) => foldLogic(operand, fold)));
    case "or":
      return fold.or(tree.operands.map((operand) => foldLogic(operand, fold)));
    case "not":
      return fold.not(foldLogic(tree.operand, fold));
  }
}

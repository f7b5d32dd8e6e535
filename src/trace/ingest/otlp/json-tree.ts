/**
 * JSON that is assembled from values at paths. Leaves are JSON text; an object whose names are all numbers is a list.
 */
export type JsonTree = Map<string, string | JsonTree>;

/** Most steps of a path; real ones have about five. */
const MAX_STEPS = 16;

const POSITION = /^\d{1,9}$/;

/** Sets a value once; false when the path or a part of it is set already. */
export function setAt(tree: JsonTree, path: readonly string[], json: string): boolean {
  if (path.length === 0 || path.length > MAX_STEPS) return false;
  let node = tree;
  for (const step of path.slice(0, -1)) {
    const next = node.get(step) ?? new Map();
    if (typeof next === "string") return false;
    node.set(step, next);
    node = next;
  }
  const last = path[path.length - 1] ?? "";
  if (node.has(last)) return false;
  node.set(last, json);
  return true;
}

/** The tree as the JSON text of an object. */
export const textOfTree = (tree: JsonTree): string =>
  `{${Array.from(tree, ([name, node]) => `${JSON.stringify(name)}:${textOfNode(node)}`).join(",")}}`;

function textOfNode(node: string | JsonTree): string {
  if (typeof node === "string") return node;
  const names = [...node.keys()];
  if (!names.every((name) => POSITION.test(name))) return textOfTree(node);
  // The names are positions in the list; gaps are closed.
  const inOrder = names.sort((a, b) => Number(a) - Number(b));
  return `[${inOrder.map((name) => textOfNode(node.get(name) ?? "null")).join(",")}]`;
}

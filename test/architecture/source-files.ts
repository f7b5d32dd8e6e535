import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** Every TypeScript file below a folder of the project, as paths from its root. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.includes("node_modules"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

export const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

export interface Import {
  readonly from: string;
  /** A path from the root for a file of the project, else the package's specifier. */
  readonly to: string;
  readonly isOwn: boolean;
  /** Whether the import is removed at compile time. */
  readonly isTypeOnly: boolean;
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+["']([^"']+)["']|import\(["']([^"']+)["']\)|(?:^|\n)import\s+["']([^"']+)["']/g;

export function importsOf(file: string): readonly Import[] {
  const text = textOf(file);
  return [...text.matchAll(IMPORT)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? "";
    const isOwn = specifier.startsWith(".");
    const to = isOwn ? normalize(join(dirname(file), specifier)) : specifier;
    return { from: file, to, isOwn, isTypeOnly: match[1] !== undefined };
  });
}

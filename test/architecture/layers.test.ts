import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOMS, type Room } from "./rooms.ts";
import { filesBelow, importsOf, ROOT, textOf } from "./source-files.ts";

/** Longest file of the product. */
const MAX_LINES = 300;

/** Most entries of one folder. */
const MAX_ENTRIES = 22;

const files = [...filesBelow("src"), ...filesBelow("durable")];
const imports = files.flatMap(importsOf);

/** A file directly in src/ is its own room. */
const roomNameOf = (file: string): string => (dirname(file) === "src" ? file : dirname(file));

const roomOf = (file: string): Room | undefined => ROOMS.find(({ room }) => room === roomNameOf(file));

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

describe("the rooms of src and durable", () => {
  it("are listed for every folder with source files", () => {
    expect(sorted(ROOMS.map(({ room }) => room))).toEqual(sorted(files.map(roomNameOf)));
  });

  it("are listed below the rooms that they may import, so that no two rooms import each other", () => {
    const wrong = ROOMS.flatMap(({ room, imports: allowed }, place) =>
      allowed
        .filter((name) => ROOMS.findIndex((other) => other.room === name) >= place)
        .map((name) => `${room} -> ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(ROOMS)("list exactly the imports of $room", ({ room, imports: allowed, packages }) => {
    const mine = imports.filter(({ from }) => roomNameOf(from) === room);
    const own = mine.filter(({ isOwn }) => isOwn).map(({ to }) => roomNameOf(to));
    expect(sorted(own.filter((name) => name !== room))).toEqual(sorted(allowed));
    expect(sorted(mine.filter(({ isOwn }) => !isOwn).map(({ to }) => packageOf(to)))).toEqual(sorted(packages));
  });

  it("have files of at most 300 lines, and at most 22 entries", () => {
    const long = files.filter((file) => textOf(file).split("\n").length - 1 > MAX_LINES);
    expect(long).toEqual([]);
    const entries = new Map<string, Set<string>>();
    for (const file of files)
      for (let path = file; path.includes("/"); path = dirname(path))
        entries.set(dirname(path), (entries.get(dirname(path)) ?? new Set()).add(path));
    expect([...entries].filter(([, { size }]) => size > MAX_ENTRIES).map(([folder]) => folder)).toEqual([]);
  });
});

describe("the files of src and durable", () => {
  it("are found, each in a room", () => {
    expect(files.length).toBeGreaterThan(200);
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it("import each other by relative paths that exist", () => {
    const missing = imports.filter(({ isOwn, to }) => isOwn && !existsSync(join(ROOT, to)));
    expect(missing.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("have no circular imports, types included", () => {
    const next = new Map<string, readonly string[]>(
      files.map((file) => [file, importsOf(file).flatMap(({ isOwn, to }) => (isOwn ? [to] : []))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      if (done.has(file) || path.includes(file)) return;
      for (const to of next.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it("of the domain use no clock, no randomness and no network", () => {
    const forbidden = /Date\.now|Math\.random|crypto\.|\bfetch\(|new Date\(\)/;
    expect(filesBelow("src/domain").filter((file) => forbidden.test(textOf(file)))).toEqual([]);
  });
});

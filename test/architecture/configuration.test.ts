import { describe, expect, it } from "vitest";
import { readSettings, type Settings } from "../../src/settings.ts";
import { textOf } from "./source-files.ts";

const PAGE = textOf("docs/operations/configuration.md");
/** Read elsewhere than in src/settings.ts: secrets of the Worker, and variables of `npm run dev`. */
const READ_ELSEWHERE = ["ADMIN_KEY", "MASTER_KEYS", "PORT", "STATE_DIR", "X_LOCAL_OBSERVABILITY"];

/** Cells of every row that begins with names of settings. */
const rows = [...PAGE.matchAll(/^\| (`[A-Z_]+`.*) \|$/gm)].map(([, row = ""]) => row.split(" | "));
const codes = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const documented = rows.flatMap(([names = ""]) => codes(names));

/** Every name that the settings are read from. */
const namesRead = (): readonly string[] => {
  const names = new Set<string>();
  const answer = (name: string): string | undefined => {
    names.add(name);
    if (name === "ALLOW_ENVIRONMENT_CREDENTIALS") return "true";
    return name.startsWith("AWS_") ? "given" : undefined;
  };
  readSettings(new Proxy({}, { get: (_, name) => answer(String(name)) }));
  return [...names];
};

/** `MAX_RETRIES` -> the value of `maxRetries`. */
const settingIn = (name: string, settings: Settings): unknown => {
  const member = name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return new Map(Object.entries({ ...settings, ...settings.limits })).get(member);
};

const numbers = rows.flatMap(([name = "", , preset = "", bounds = ""]) => {
  const found = /^(\d+) to (\d+)$/.exec(bounds);
  return found === null ? [] : [{ name: codes(name)[0] ?? "", preset: codes(preset)[0], min: found[1], max: found[2] }];
});
const choices = rows.flatMap(([name = "", , preset = "", allowed = ""]) =>
  codes(allowed).length < 2 ? [] : [{ name: codes(name)[0] ?? "", preset: codes(preset)[0], allowed: codes(allowed) }],
);

describe("The page on configuration", () => {
  it("has every setting that the source reads, and no other", () => {
    expect(documented.toSorted()).toEqual([...namesRead(), ...READ_ELSEWHERE].toSorted());
  });

  it.each(numbers)("gives the default and the bounds of $name", ({ name, preset, min, max }) => {
    const settings = readSettings({});
    expect(settingIn(name, settings) ?? undefined).toBe(preset === undefined ? undefined : Number(preset));
    const read = (value: number) => () => readSettings({ [name]: String(value) });
    for (const value of [Number(min), Number(max)]) expect(settingIn(name, read(value)())).toBe(value);
    expect(read(Number(max) + 1)).toThrow(name);
    expect(read(Number(min) - 1)).toThrow(name);
  });

  it.each(choices)("gives the default and the allowed values of $name", ({ name, preset, allowed }) => {
    const needed = { AWS_ACCESS_KEY_ID: "given", AWS_SECRET_ACCESS_KEY: "given" };
    for (const word of allowed) expect(() => readSettings({ ...needed, [name]: word })).not.toThrow();
    expect(readSettings({ [name]: preset ?? "" })).toEqual(readSettings({}));
    const told = () => readSettings({ [name]: "none of them" });
    expect(told).toThrow(allowed.map((word) => `"${word}"`).join(", "));
  });

  it("has all numbers and choices in its tables", () => {
    expect([numbers.length, choices.length]).toEqual([22, 5]);
  });
});

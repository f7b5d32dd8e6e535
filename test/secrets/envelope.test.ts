import { describe, expect, test } from "vitest";
import { type MasterKeys, openSecret, parseMasterKeys, sealSecret } from "../../src/secrets/envelope.ts";

const key = (fill: number) => Buffer.alloc(32, fill).toString("base64");

const keysOf = (setting: string): MasterKeys => {
  const keys = parseMasterKeys(setting);
  if (!keys.ok) throw new Error(keys.failure.message);
  return keys.value;
};

const SECRET = '{"secret_access_key":"grüße 🚀"}';

describe("credentials are stored encrypted", () => {
  test("a sealed text opens in the same context", async () => {
    const keys = keysOf(key(1));
    const envelope = await sealSecret(SECRET, keys, "destination/1");
    expect(envelope).toMatch(/^wbe1\.default\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    expect(await openSecret(envelope, keys, "destination/1")).toEqual({ ok: true, value: SECRET });
  });

  test("an empty and a long text are sealed and opened", async () => {
    const keys = keysOf(key(1));
    for (const text of ["", "x".repeat(8_000)]) {
      expect(await openSecret(await sealSecret(text, keys, "c"), keys, "c")).toEqual({ ok: true, value: text });
    }
  });

  test("the same secret is sealed differently each time", async () => {
    const keys = keysOf(key(1));
    expect(await sealSecret(SECRET, keys, "c")).not.toBe(await sealSecret(SECRET, keys, "c"));
  });

  test("an envelope does not open for another destination", async () => {
    const keys = keysOf(key(1));
    const envelope = await sealSecret(SECRET, keys, "destination/1");
    expect(await openSecret(envelope, keys, "destination/2")).toEqual({
      ok: false,
      failure: { reason: "envelope_does_not_open" },
    });
  });

  test("a changed envelope does not open, for a change of any byte", async () => {
    const keys = keysOf(key(1));
    const envelope = await sealSecret("abc", keys, "c");
    const first = envelope.indexOf(".", 5) + 1;
    for (let at = first; at < envelope.length; at++) {
      if (envelope[at] === ".") continue;
      const changed = `${envelope.slice(0, at)}${envelope[at] === "A" ? "Q" : "A"}${envelope.slice(at + 1)}`;
      const opened = await openSecret(changed, keys, "c");
      // The last character of each part may hold unused bits only.
      if (opened.ok) expect(envelope[at + 1] ?? ".").toBe(".");
    }
  });

  test.each([
    "",
    "wbe1",
    "wbe1.k",
    "wbe1.default.AAAA.AAAA",
    "wbe2.default.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA",
    "wbe1.default.AAAAAAAAAAAAAAAA.AAAA",
    "a.b.c.d.e",
    "wbe1.default.AAAAAAAAAAAAAAA*.AAAAAAAAAAAAAAAAAAAAAAAA",
  ])("%j is not an envelope", async (text) => {
    expect(await openSecret(text, keysOf(key(1)), "c")).toEqual({
      ok: false,
      failure: { reason: "malformed_envelope" },
    });
  });
});

describe("master keys rotate", () => {
  test("the first key seals, every key opens", async () => {
    const before = keysOf(`old:${key(1)}`);
    const after = keysOf(`new:${key(2)}, old:${key(1)}`);
    const sealedBefore = await sealSecret(SECRET, before, "c");
    const sealedAfter = await sealSecret(SECRET, after, "c");
    expect(sealedAfter).toMatch(/^wbe1\.new\./);
    expect(await openSecret(sealedBefore, after, "c")).toEqual({ ok: true, value: SECRET });
    expect(await openSecret(sealedAfter, before, "c")).toEqual({
      ok: false,
      failure: { reason: "unknown_master_key", keyId: "new" },
    });
  });

  test("a key without an id is named default, so that it can be kept", async () => {
    const envelope = await sealSecret(SECRET, keysOf(key(1)), "c");
    expect((await openSecret(envelope, keysOf(`k2:${key(2)},default:${key(1)}`), "c")).ok).toBe(true);
  });

  test("another key under the same id does not open", async () => {
    const envelope = await sealSecret(SECRET, keysOf(`a:${key(1)}`), "c");
    expect(await openSecret(envelope, keysOf(`a:${key(2)}`), "c")).toMatchObject({
      failure: { reason: "envelope_does_not_open" },
    });
  });

  test.each([
    "",
    "short",
    Buffer.alloc(31).toString("base64"),
    Buffer.alloc(33).toString("base64"),
    `a:${key(1)},a:${key(2)}`,
    `${key(1)},${key(2)}`,
    `:${key(1)}`,
    `a b:${key(1)}`,
    `a:${key(1)},`,
    `a:${"*".repeat(44)}`,
  ])("the setting %j is refused, and the error does not repeat it", (setting) => {
    const keys = parseMasterKeys(setting);
    expect(keys).toMatchObject({ ok: false, failure: { reason: "master_keys_not_valid" } });
    if (setting !== "" && !keys.ok) expect(keys.failure.message).not.toContain(setting);
  });
});

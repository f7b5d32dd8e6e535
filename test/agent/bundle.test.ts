import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundleOf } from "../../src/agent/bundle.ts";
import { MAX_UNPACKED_BYTES } from "../../src/agent/limits.ts";
import { type Entry, tarballOf, tarOf } from "../support/tarball.ts";

const good: readonly Entry[] = [
  { path: "waybill.json", content: '{"main": "server.js"}' },
  { path: "server.js", content: "export default {};" },
];
const reasonOf = (...entries: readonly Entry[]) => {
  const bundle = bundleOf(tarballOf(entries), "waybill.json");
  return bundle.ok ? "taken" : bundle.failure;
};

describe("a source", () => {
  it("becomes modules by file extension, with the main module named in the configuration file", () => {
    const bundle = bundleOf(
      tarballOf([
        { path: "app/", kind: "5" },
        { path: "./app/waybill.json", content: '{"main": "./server.mjs"}' },
        { path: "./app/server.mjs", content: "export default {};" },
        { path: "app/old.cjs", content: "module.exports = 1;" },
        { path: "app/prompt.txt", content: "Be brief." },
        { path: "app/add.wasm", content: new Uint8Array([0, 0x61, 0x73, 0x6d]) },
      ]),
      "app/waybill.json",
    );
    expect(bundle).toEqual({
      ok: true,
      value: {
        mainModule: "app/server.mjs",
        modules: {
          "app/waybill.json": { kind: "json", content: '{"main": "./server.mjs"}' },
          "app/server.mjs": { kind: "js", content: "export default {};" },
          "app/old.cjs": { kind: "cjs", content: "module.exports = 1;" },
          "app/prompt.txt": { kind: "text", content: "Be brief." },
          "app/add.wasm": { kind: "wasm", content: "AGFzbQ==" },
        },
      },
    });
  });

  it("may be the output folder of a bundler, whose source maps are left out", () => {
    const bundle = bundleOf(tarballOf([...good, { path: "server.js.map", content: "{}" }]), "waybill.json");
    expect(bundle.ok && Object.keys(bundle.value.modules)).toEqual(["waybill.json", "server.js"]);
  });

  it.each<readonly [what: string, entry: Entry, reason: RegExp]>([
    ["leaves the root", { path: "../server.js" }, /below the archive's root/],
    ["leaves the root further down", { path: "a/../../server.js" }, /below the archive's root/],
    ["is absolute", { path: "/etc/passwd.js" }, /below the archive's root/],
    ["has a backslash", { path: "a\\..\\b.js" }, /below the archive's root/],
    ["has an empty folder", { path: "a//b.js" }, /not the path of a file/],
    ["has a control character", { path: "a\u001b[2J.js" }, /not the path of a file/],
    ["is a symbolic link", { path: "a.js", kind: "2", link: "/etc/passwd" }, /not a plain file/],
    ["is a hard link", { path: "a.js", kind: "1", link: "server.js" }, /not a plain file/],
    ["is a device", { path: "a.js", kind: "3" }, /not a plain file/],
    ["is a FIFO", { path: "a.js", kind: "6" }, /not a plain file/],
    ["is of an unknown kind", { path: "a.js", kind: "S" }, /not a plain file/],
    ["appears twice", { path: "./server.js" }, /twice/],
    ["cannot be loaded", { path: "server.py", content: "pass" }, /kind that cannot be loaded/],
    [
      "has the name of a member of every object as its extension",
      { path: "a.constructor", content: "" },
      /kind that cannot be loaded/,
    ],
    ["has no extension", { path: "Makefile", content: "" }, /kind that cannot be loaded/],
    ["is JSON by its extension only", { path: "b.json", content: "{" }, /not valid JSON/],
    ["is text by its extension only", { path: "b.js", content: new Uint8Array([0xff, 0xfe]) }, /not valid UTF-8/],
  ])("is refused when a file %s", (_, entry, reason) => {
    expect(reasonOf(...good, entry)).toMatch(reason);
  });

  it.each<readonly [what: string, entries: readonly Entry[], reason: RegExp]>([
    ["no configuration", [good[1] ?? { path: "" }], /has no file "waybill.json"/],
    ["a configuration that is not JSON", [{ path: "waybill.json", content: "main" }], /JSON object/],
    ["a configuration without main", [{ path: "waybill.json", content: "{}" }], /JSON object/],
    ["no main module", [good[0] ?? { path: "" }], /has no file "server.js"/],
    [
      "a main module that is not a module",
      [{ path: "waybill.json", content: '{"main": "waybill.json"}' }],
      /\.js or \.mjs/,
    ],
    ["too many files", Array.from({ length: 1001 }, (_, n) => ({ path: `${n}.js` })), /more than 1000 files/],
  ])("is refused with %s", (_, entries, reason) => {
    expect(reasonOf(...entries)).toMatch(reason);
  });

  it("is refused when it is not a gzip file, not an archive, damaged or cut short", () => {
    const reason = (bytes: Uint8Array) => {
      const bundle = bundleOf(bytes, "waybill.json");
      return bundle.ok ? "taken" : bundle.failure;
    };
    expect(reason(new Uint8Array([1, 2, 3]))).toMatch(/not a gzip file/);
    expect(reason(gzipSync(Buffer.alloc(2048, "x")))).toMatch(/checksum is wrong/);
    const archive = tarOf(good);
    const damaged = Uint8Array.from(archive);
    damaged[0] = 0x58;
    expect(reason(gzipSync(damaged))).toMatch(/checksum is wrong/);
    for (let bytes = 1; bytes < 2048; bytes += 97)
      expect(reason(gzipSync(archive.subarray(0, bytes)))).not.toBe("taken");
  });

  it("is refused when it is a decompression bomb, before it is unpacked", () => {
    const bomb = gzipSync(Buffer.alloc(MAX_UNPACKED_BYTES + 1));
    expect(bomb.length).toBeLessThan(100_000);
    const bundle = bundleOf(bomb, "waybill.json");
    expect(bundle.ok ? "taken" : bundle.failure).toMatch(/when it is unpacked/);
  });

  it("may be any archive written by tar, including long names, but its links are refused", () => {
    const folder = mkdtempSync(join(tmpdir(), "waybill-tar-"));
    try {
      const deep = join("a".repeat(90), "b".repeat(90));
      mkdirSync(join(folder, "src", deep), { recursive: true });
      writeFileSync(join(folder, "src", "waybill.json"), '{"main": "server.js"}');
      writeFileSync(join(folder, "src", "server.js"), "export default {};");
      writeFileSync(join(folder, "src", deep, "long.js"), "export {};");
      const pack = (format: string) => {
        execFileSync("tar", [`--format=${format}`, "-czf", join(folder, "x.tgz"), "-C", join(folder, "src"), "."]);
        return bundleOf(readFileSync(join(folder, "x.tgz")), "waybill.json");
      };
      for (const format of ["ustar", "pax"]) {
        const bundle = pack(format);
        expect(bundle.ok && Object.keys(bundle.value.modules)).toContain(`${deep}/long.js`);
      }
      symlinkSync("/etc/passwd", join(folder, "src", "p.js"));
      expect(pack("pax")).toMatchObject({ ok: false, failure: expect.stringContaining("not a plain file") });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

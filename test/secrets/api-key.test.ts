import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hashApiKey, newApiKey, sameSecret, tenantOfApiKey } from "../../src/secrets/api-key.ts";

const TENANT = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";
const random = (length: number) => new Uint8Array(length).fill(0xfb);

describe("API keys", () => {
  test("carry their tenant and 32 random bytes", () => {
    const key = newApiKey(TENANT, random(32));
    expect(key).toMatch(/^wbk_0a1b2c3d4e5f4a6b8c7d9e0f1a2b3c4d_[A-Za-z0-9_-]{43}$/);
    expect(tenantOfApiKey(key)).toBe(TENANT);
    expect(tenantOfApiKey(newApiKey(TENANT, random(64)))).toBe(TENANT);
  });

  test("are not made from too few bytes or another id", () => {
    expect(() => newApiKey(TENANT, random(31))).toThrow();
    expect(() => newApiKey(TENANT, random(65))).toThrow();
    expect(() => newApiKey(TENANT.toUpperCase(), random(32))).toThrow();
  });

  test.each([
    "",
    "wbk_",
    "lsv2_pt_abc",
    `wbk_${"0".repeat(32)}_short`,
    `wbk_${"0".repeat(31)}_${"a".repeat(43)}`,
    `wbk_${"0".repeat(32)}_${"a".repeat(43)}\n`,
    `x wbk_${"0".repeat(32)}_${"a".repeat(43)}`,
    `wbk_${"0".repeat(32)}_${"a".repeat(9999)}`,
  ])("%j is not an API key", (text) => {
    expect(tenantOfApiKey(text)).toBeNull();
  });

  test("are stored as SHA-256 in lower-case hex", async () => {
    expect(await hashApiKey("abc")).toBe(createHash("sha256").update("abc").digest("hex"));
  });

  test("are compared as a whole", async () => {
    expect(await sameSecret("admin-key", "admin-key")).toBe(true);
    expect(await sameSecret("admin-kez", "admin-key")).toBe(false);
    expect(await sameSecret("admin", "admin-key")).toBe(false);
    expect(await sameSecret("", "admin-key")).toBe(false);
  });
});

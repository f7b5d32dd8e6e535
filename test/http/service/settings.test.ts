import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/domain/shared/limits.ts";
import { readSettings } from "../../../src/settings.ts";
import { MARK } from "../../support/secrets/mark.ts";

describe("settings", () => {
  it("have the defaults of the specification if the environment is empty", () => {
    expect(readSettings({})).toMatchObject({
      limits: LIMITS,
      wireProfile: "spec",
      defaultCompression: "zstandard",
      allowLoopbackEndpoints: false,
      environmentCredentials: null,
      rateLimitPerSecond: 200,
      rateLimitBurst: 2000,
      publicUrl: null,
      jurisdiction: null,
    });
    expect(readSettings({ MAX_RETRIES: "", WIRE_PROFILE: undefined })).toEqual(readSettings({}));
  });

  it("override each limit by its name in upper case", () => {
    const names = Object.keys(LIMITS).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
    const least = Object.fromEntries(
      names.map((name) => [name, name === "PART_BYTES" ? String(5 * 1024 * 1024) : "1"]),
    );
    expect(Object.values(readSettings(least).limits)).toEqual(
      Object.values(LIMITS).map((_, at) => Number(Object.values(least)[at])),
    );
    expect(readSettings({ RETRY_DELAY_MS: 100 }).limits.retryDelayMs).toBe(100);
  });

  it("refuse a file size above 10,000 parts of the minimum size", () => {
    const most = 10_000 * 5 * 1024 * 1024;
    expect(readSettings({ TARGET_FILE_BYTES: most }).limits.targetFileBytes).toBe(most);
    expect(() => readSettings({ TARGET_FILE_BYTES: most + 1 })).toThrow("TARGET_FILE_BYTES");
  });

  it("use credentials of the environment only if that is allowed", () => {
    const pair = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: MARK };
    expect(readSettings(pair).environmentCredentials).toBeNull();
    const allowed = { ...pair, ALLOW_ENVIRONMENT_CREDENTIALS: "true" };
    expect(readSettings(allowed).environmentCredentials).toEqual({
      accessKeyId: "id",
      secretAccessKey: MARK,
      sessionToken: null,
    });
    expect(readSettings({ ...allowed, AWS_SESSION_TOKEN: "t" }).environmentCredentials?.sessionToken).toBe("t");
    expect(() => readSettings({ ALLOW_ENVIRONMENT_CREDENTIALS: "true" })).toThrow("AWS_ACCESS_KEY_ID");
  });

  it.each([
    [{ MAX_RETRIES: "many" }, "MAX_RETRIES"],
    [{ MAX_RETRIES: "-1" }, "MAX_RETRIES"],
    [{ MAX_RETRIES: "1.5" }, "MAX_RETRIES"],
    [{ MAX_RETRIES: "0x10" }, "MAX_RETRIES"],
    [{ MAX_RUNNING_RUNS: "0" }, "MAX_RUNNING_RUNS"],
    [{ PART_BYTES: "1024" }, "PART_BYTES"],
    [{ WIRE_PROFILE: "Spec" }, '"spec", "langsmith"'],
    [{ DEFAULT_COMPRESSION: "zstd" }, "zstandard"],
    [{ ALLOW_LOOPBACK_ENDPOINTS: "yes" }, "ALLOW_LOOPBACK_ENDPOINTS"],
    [{ JURISDICTION: "us" }, "JURISDICTION"],
    [{ RETENTION_DAYS: "0" }, "RETENTION_DAYS"],
    [{ WIRE_PROFILE: {} }, "WIRE_PROFILE"],
    [{ RATE_LIMIT_BURST: "0" }, "RATE_LIMIT_BURST"],
    [{ PUBLIC_URL: "traces.example.com" }, "PUBLIC_URL"],
    [{ PUBLIC_URL: "https://traces.example.com/path" }, "PUBLIC_URL"],
  ])("%o is an error that names the setting and the allowed values", (env, words) => {
    expect(() => readSettings(env)).toThrow(words);
  });
});

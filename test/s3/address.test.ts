import { describe, expect, test } from "vitest";
import type { DestinationConfig } from "../../src/domain/destination/records.ts";
import { addressOf, objectUrl } from "../../src/s3/address.ts";

const config = (changes: Partial<DestinationConfig>): DestinationConfig => ({
  bucketName: "customer-bucket",
  prefix: "",
  region: null,
  endpointUrl: "https://s3.example.com",
  includeBucketInPrefix: false,
  ...changes,
});

const base = (changes: Partial<DestinationConfig>, allowLoopback = false) => {
  const address = addressOf(config(changes), { allowLoopback });
  return address.ok ? address.value.base : address.failure.reason;
};

describe("an AWS bucket is addressed by its region, without endpoint_url", () => {
  test.each([
    ["customer-bucket", "eu-central-1", "https://customer-bucket.s3.eu-central-1.amazonaws.com/"],
    ["customer.bucket", "eu-central-1", "https://s3.eu-central-1.amazonaws.com/customer.bucket/"],
    ["Old_Bucket", "us-east-1", "https://s3.us-east-1.amazonaws.com/Old_Bucket/"],
    ["customer-bucket", "cn-north-1", "https://customer-bucket.s3.cn-north-1.amazonaws.com.cn/"],
  ])("%s in %s", (bucketName, region, expected) => {
    expect(base({ bucketName, region, endpointUrl: null })).toBe(expected);
  });

  test("without a region requests go to us-east-1, which names the bucket's region", () => {
    expect(base({ endpointUrl: null })).toBe("https://customer-bucket.s3.us-east-1.amazonaws.com/");
  });

  test.each(["evil.com/", "a.b", "x#", "eu central", "@evil", ""])(
    "a region %j is never part of a host name",
    (region) => {
      expect(base({ endpointUrl: null, region })).toBe("invalid_endpoint");
    },
  );
});

describe("another store is addressed by endpoint_url in path style", () => {
  test.each([
    ["https://s3.example.com", "https://s3.example.com/customer-bucket/"],
    ["https://s3.example.com/", "https://s3.example.com/customer-bucket/"],
    ["https://s3.example.com:9000", "https://s3.example.com:9000/customer-bucket/"],
    ["https://S3.Example.com:443/cdn-cgi/local/r2/s3", "https://s3.example.com/cdn-cgi/local/r2/s3/customer-bucket/"],
    ["https://abc.r2.cloudflarestorage.com", "https://abc.r2.cloudflarestorage.com/customer-bucket/"],
    ["https://s3.example.com.", "https://s3.example.com./customer-bucket/"],
  ])("%s", (endpointUrl, expected) => {
    expect(base({ endpointUrl })).toBe(expected);
  });

  test("requests are signed for the region given, else for auto", () => {
    const without = addressOf(config({}), { allowLoopback: false });
    const given = addressOf(config({ region: "eu-west-3" }), { allowLoopback: false });
    expect([without.ok && without.value.region, given.ok && given.value.region]).toEqual(["auto", "eu-west-3"]);
  });
});

describe("endpoint_url is untrusted input", () => {
  test.each([
    "",
    "s3.example.com",
    "//s3.example.com",
    "http://s3.example.com",
    "ftp://s3.example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user@s3.example.com",
    "https://user:password@s3.example.com",
    "https://s3.example.com/?x=1",
    "https://s3.example.com?",
    "https://s3.example.com/#",
    "https://s3.example.com/a%2Fb",
    "https://s3.example.com/a b",
    "https://10.0.0.1",
    "https://8.8.8.8",
    "https://127.0.0.1",
    "https://169.254.169.254",
    "https://2130706433",
    "https://0x7f000001",
    "https://0x7f.1",
    "https://0177.0.0.1",
    "https://127.1",
    "https://１２７.0.0.1",
    "https://127.0.0.1.",
    "https://[::1]",
    "https://[fd00::1]",
    "https://[::ffff:10.0.0.1]",
    "https://[2606:4700::1111]",
    "https://localhost",
    "https://localhost.",
    "https://LOCALHOST",
    "https://db.localhost",
    "https://minio",
    "https://printer.local",
    "https://s3.internal",
    "https://metadata.google.internal",
    "https://metadata.goog",
    "https://metadata.google.internal.",
    "https://minio.default.svc",
    "https://minio.default.svc.cluster.local",
    "https://nas.home.arpa",
    "https://s3.example.com:22",
    "https://s3.example.com:80",
    "https://s3.example.com:99999",
    "https://..",
    "https://a..example.com",
    "http://127.0.0.1:9000",
    "http://localhost:9000",
  ])("refuses %s", (endpointUrl) => {
    const address = addressOf(config({ endpointUrl }), { allowLoopback: false });
    expect(address).toMatchObject({ ok: false, failure: { reason: "invalid_endpoint", retryable: false } });
    expect(address.ok || address.failure.advice).toMatch(/endpoint_url/);
  });

  test.each([
    "http://127.0.0.1:9000",
    "http://127.0.0.2:81",
    "http://localhost:8787/cdn-cgi/local/r2/s3",
    "http://[::1]:9000",
    "https://localhost:8443",
  ])("accepts %s where loopback is allowed", (endpointUrl) => {
    expect(base({ endpointUrl }, true)).toBe(`${endpointUrl}/customer-bucket/`);
  });

  test.each([
    "http://10.0.0.1",
    "http://s3.example.com",
    "https://169.254.169.254",
    "ftp://localhost",
    "http://minio:9000",
  ])("refuses %s even if loopback is allowed", (endpointUrl) => {
    expect(base({ endpointUrl }, true)).toBe("invalid_endpoint");
  });

  test.each([
    "",
    "ab",
    "..",
    "a/b",
    "evil.com/#",
    "a".repeat(64),
    "bücket",
    "a b c",
    "-abc",
    "abc.",
    "a..b",
    "192.168.0.1",
  ])("a bucket named %j is not valid", (bucketName) => {
    expect(base({ bucketName })).toBe("bucket_not_valid");
    expect(base({ bucketName, endpointUrl: null, region: "us-east-1" })).toBe("bucket_not_valid");
  });

  test("a prefix that leaves the bucket is refused", () => {
    expect(base({ prefix: "a/../../other-bucket" })).toBe("bucket_not_valid");
  });

  test("a prefix that is too long together with the bucket leaves no room for keys, and is refused", () => {
    const bucketName = "b".repeat(63);
    const prefix = "x".repeat(768 - bucketName.length);
    expect(base({ bucketName, prefix })).toBe(`https://s3.example.com/${bucketName}/`);
    expect(base({ bucketName, prefix, includeBucketInPrefix: true })).toBe("bucket_not_valid");
    expect(base({ bucketName, prefix: prefix.slice(1), includeBucketInPrefix: true })).toMatch(/^https:/);
  });
});

describe("a key's URL", () => {
  const address = { base: "https://s3.example.com/b/", region: "auto" };

  test.each([
    ["traces/export_id=1/day=9/0-00001.parquet", "traces/export_id%3D1/day%3D9/0-00001.parquet"],
    ["a b/c+d&e?f#g%h", "a%20b/c%2Bd%26e%3Ff%23g%25h"],
    ["it's (a) *test*!~", "it%27s%20%28a%29%20%2Atest%2A%21~"],
    ["für/日本/🚀", "f%C3%BCr/%E6%97%A5%E6%9C%AC/%F0%9F%9A%80"],
    ["a//b", "a//b"],
  ])("of %s encodes all but unreserved characters and slashes", (key, path) => {
    const url = objectUrl(address, key);
    expect(url).toBe(`https://s3.example.com/b/${path}`);
    expect(new URL(url).href).toBe(url);
  });

  test("carries query values encoded", () => {
    expect(objectUrl(address, "k", { partNumber: "2", uploadId: "a+b/c==&d" })).toBe(
      "https://s3.example.com/b/k?partNumber=2&uploadId=a%2Bb%2Fc%3D%3D%26d",
    );
  });

  test.each(["../other/secret", "a/./b"])("cannot be built from %s", (key) => {
    expect(() => objectUrl(address, key)).toThrow("dot folder");
  });
});

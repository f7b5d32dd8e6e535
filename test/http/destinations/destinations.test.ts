import { beforeAll, describe, expect, inject, it } from "vitest";
import { MARK } from "../../support/secrets/mark.ts";
import { call, DESTINATIONS, destinationBody, newDestination, newWorkspace, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const create = (body: object) => call("POST", DESTINATIONS, { headers: workspace.headers, body });
const SINK = { endpoint_url: inject("sinkEndpoint") };
const OPTIONS = { acl: "bucket-owner-full-control", storage_class: "STANDARD", tagging: "team=data&cost=7%25" };
const DIFFICULT = { endpoint_url: inject("difficultEndpoint") };
const KMS = { server_side_encryption: "aws:kms" };
const NO_ENCRYPTION = { server_side_encryption: null, kms_key_id: null };

const list = async () => (await call("GET", DESTINATIONS, { headers: workspace.headers })).body;

it("a destination is created after a test write, and returned without its secrets", async () => {
  const body = destinationBody();
  const created = await create(body);
  expect(created.status).toBe(200);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenant_id: workspace.id,
    destination_type: "s3",
    display_name: "My bucket",
    config: {
      bucket_name: body.config.bucket_name,
      prefix: "exports",
      region: body.config.region,
      endpoint_url: body.config.endpoint_url,
      include_bucket_in_prefix: false,
      s3_options: null,
      s3_additional_kwargs: null,
      config_kwargs_s3: null,
      aws_role_arn: null,
    },
    credentials_keys: ["access_key_id", "secret_access_key"],
    checks: [
      { step: "put", result: "passed", permission: "s3:PutObject" },
      { step: "head", result: "passed", permission: "s3:GetObject" },
      { step: "multipart_create", result: "passed", permission: "s3:PutObject" },
      { step: "multipart_abort", result: "passed", permission: "s3:AbortMultipartUpload" },
      { step: "delete", result: "passed", permission: "s3:DeleteObject" },
      { step: "list", result: "passed", permission: "s3:ListBucket" },
    ],
    etags: { put: "md5", multipart: "md5" },
    iam_policy: { Version: "2012-10-17", Statement: [expect.anything(), expect.anything()] },
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
  const shown = await call("GET", `${DESTINATIONS}/${created.body.id}`, { headers: workspace.headers });
  expect(shown.body).toEqual(created.body);
  expect(await list()).toContainEqual(created.body);
  for (const secret of Object.values(body.credentials)) expect(shown.text).not.toContain(secret);
});

it("members of the original that change nothing are accepted", async () => {
  const body = destinationBody();
  const config = {
    ...body.config,
    prefix: "/outer/slashes/",
    s3_additional_kwargs: null,
    config_kwargs_s3: { addressing_style: "path", use_accelerate_endpoint: null },
    aws_role_arn: null,
  };
  const credentials = { ...body.credentials, session_token: null };
  const created = await create({ ...body, config, credentials, aws_role_arn: null });
  expect([created.status, created.body.config.prefix]).toEqual([200, "outer/slashes"]);
});

it("options of the objects are kept in either spelling, and shown in both", async () => {
  const body = destinationBody();
  const shown = {
    s3_options: { ...OPTIONS, ...NO_ENCRYPTION },
    s3_additional_kwargs: { ACL: OPTIONS.acl, StorageClass: OPTIONS.storage_class, Tagging: OPTIONS.tagging },
  };
  for (const sent of [{ s3_options: OPTIONS }, { s3_additional_kwargs: shown.s3_additional_kwargs }]) {
    const created = await create({ ...body, config: { ...body.config, ...SINK, ...sent } });
    expect([created.status, created.body.config]).toMatchObject([200, shown]);
  }
});

it("a repetition with other options of the objects is another request", async () => {
  const body = destinationBody();
  const headers = { ...workspace.headers, "Idempotency-Key": crypto.randomUUID() };
  const send = (s3_options: object | null) =>
    call("POST", DESTINATIONS, { headers, body: { ...body, config: { ...body.config, ...SINK, s3_options } } });
  const first = await send(OPTIONS);
  expect([first.status, (await send(OPTIONS)).body.id]).toEqual([200, first.body.id]);
  expect((await send({ ...OPTIONS, acl: "private" })).status).toBe(422);
  expect((await send(null)).status).toBe(422);
});

it("an endpoint_url that contains the bucket's name is accepted with the addressing style path", async () => {
  const body = destinationBody();
  const endpoint_url = `${body.config.endpoint_url}/${body.config.bucket_name}`;
  const config_kwargs_s3 = { addressing_style: "path" };
  const created = await create({ ...body, config: { ...body.config, endpoint_url, config_kwargs_s3 } });
  expect([created.status, created.body.config.endpoint_url]).toEqual([200, endpoint_url]);
});

describe("the destination check answers 400 with one of the four errors, and nothing is stored", () => {
  const body = destinationBody();
  const config = (change: object) => ({ ...body, config: { ...body.config, ...change } });

  it.each<[error: string, why: string, body: object]>([
    [
      "Key ID you provided does not exist",
      "the store does not know the access key",
      config({ endpoint_url: inject("unknownKeyEndpoint") }),
    ],
    [
      "Access denied",
      "the secret is wrong",
      { ...body, credentials: { ...body.credentials, secret_access_key: `${MARK}-wrong` } },
    ],
    ["Bucket is not valid", "there is no such bucket", config({ bucket_name: "no-such-bucket" })],
    [
      "Bucket is not valid",
      "there is no such bucket at Google, where names may contain _",
      config({ bucket_name: "no_such_bucket" }),
    ],
    ["Invalid endpoint", "it is not a URL", config({ endpoint_url: "nonsense" })],
    ["Invalid endpoint", "it is a private address", config({ endpoint_url: "https://10.0.0.1/" })],
    ["Invalid endpoint", "no server listens", config({ endpoint_url: "http://127.0.0.1:9/" })],
  ])("%s: %s", async (error, _why, sent) => {
    const before = await list();
    const answer = await create(sent);
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^Failed to validate S3 destination: ${error}[. ]`)),
    ]);
    expect(answer.text).not.toContain(body.credentials.secret_access_key);
    expect(await list()).toEqual(before);
  });
});

describe("a check that fails for another reason than the four errors says the store's own code, and nothing is stored", () => {
  it.each<[folder: string, status: number, detail: RegExp]>([
    [
      "busy",
      503,
      /^Failed to validate S3 destination: The store refused the request \(SlowDown\)\. The store asks for fewer/,
    ],
    ["broken", 503, /\(InternalError\)\. The store has a fault of its own/],
    ["full", 400, /\(XMinioStorageFull\)\. The store has no room left/],
    ["strange", 400, /\(StoreOfAnotherKind\)/],
    ["classless", 400, /\(InvalidStorageClass\)\. The store does not take a value of s3_options/],
  ])("%s answers %i", async (prefix, status, detail) => {
    const before = await list();
    const body = destinationBody();
    const answer = await create({ ...body, config: { ...body.config, ...DIFFICULT, prefix } });
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
    expect(answer.headers.get("Retry-After")).toBe(status === 503 ? "10" : null);
    for (const error of ["Invalid endpoint", "Bucket is not valid", "Access denied"])
      expect(answer.body.detail).not.toContain(error);
    expect(await list()).toEqual(before);
  });
});

it("missing rights are shown when a destination is created, with a policy that grants them", async () => {
  const body = destinationBody();
  const created = await create({ ...body, config: { ...body.config, ...DIFFICULT, prefix: "writable" } });
  expect(created.status).toBe(200);
  const results = created.body.checks.map(({ step, result }: Record<string, string>) => [step, result]);
  expect(Object.fromEntries(results)).toEqual({
    put: "passed",
    head: "missing",
    multipart_create: "passed",
    multipart_abort: "missing",
    delete: "missing",
    list: "missing",
  });
  const bucket = `arn:aws:s3:::${body.config.bucket_name}`;
  expect(created.body.iam_policy.Statement).toEqual([
    {
      Sid: "WaybillObjects",
      Effect: "Allow",
      Action: ["s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
      Resource: `${bucket}/writable/*`,
    },
    {
      Sid: "WaybillList",
      Effect: "Allow",
      Action: ["s3:ListBucket", "s3:ListBucketMultipartUploads"],
      Resource: bucket,
    },
  ]);
  const shown = await call("GET", `${DESTINATIONS}/${created.body.id}`, { headers: workspace.headers });
  expect(shown.body).toEqual(created.body);
});

it("a destination shows the region that the store named, and its creation may be repeated as it was sent", async () => {
  const body = destinationBody();
  const headers = { ...workspace.headers, "Idempotency-Key": crypto.randomUUID() };
  const sent = { ...body, config: { ...body.config, ...DIFFICULT, prefix: "elsewhere", region: "us-east-1" } };
  const created = await call("POST", DESTINATIONS, { headers, body: sent });
  expect([created.status, created.body.config?.region]).toEqual([200, "eu-west-9"]);
  expect((await call("POST", DESTINATIONS, { headers, body: sent })).body).toEqual(created.body);
});

describe("a body that is not valid answers 422 and names the place", () => {
  const body = destinationBody();
  const config = (change: object) => ({ ...body, config: { ...body.config, ...change } });
  const credentials = (change: object) => ({ ...body, credentials: { ...body.credentials, ...change } });

  it.each<[loc: string, body: object]>([
    ["body.destination_type", { ...body, destination_type: undefined }],
    ["body.destination_type", { ...body, destination_type: "gcs" }],
    ["body.display_name", { ...body, display_name: "" }],
    ["body.display_name", { ...body, display_name: "a/b" }],
    ["body.config", { ...body, config: null }],
    ["body.config.bucket_name", config({ bucket_name: "ab" })],
    ["body.config.bucket_name", config({ bucket_name: "a".repeat(64) })],
    ["body.config.bucket_name", config({ bucket_name: "192.168.0.1" })],
    ["body.config.bucket_name", config({ bucket_name: "../other" })],
    ["body.config.prefix", config({ prefix: undefined })],
    ["body.config.prefix", config({ prefix: "a/../b" })],
    ["body.config.prefix", config({ prefix: "a\\b" })],
    ["body.config.prefix", config({ prefix: "a\nb" })],
    ["body.config.prefix", config({ prefix: "a".repeat(2049) })],
    ["body.config.region", config({ endpoint_url: undefined, region: "RegionOne" })],
    ["body.config.region", config({ endpoint_url: null, region: "evil.example/" })],
    ["body.config.endpoint_url", config({ endpoint_url: "" })],
    ["body.config.endpoint_url", config({ endpoint_url: `https://${"a".repeat(2048)}` })],
    ["body.config.endpoint_url", config({ endpoint_url: `${body.config.endpoint_url}/${body.config.bucket_name}` })],
    ["body.config.endpoint_url", config({ endpoint_url: `https://${body.config.bucket_name}.s3.example.com` })],
    [
      "body.config.endpoint_url",
      config({ bucket_name: "Old_Bucket", endpoint_url: "https://Old_Bucket.s3.example.com" }),
    ],
    ["body.config.include_bucket_in_prefix", config({ include_bucket_in_prefix: "yes" })],
    ["body.config.aws_role_arn", config({ aws_role_arn: "arn:aws:iam::1:role/x" })],
    ["body.config.s3_additional_kwargs.ACL", config({ s3_additional_kwargs: { ACL: "public-read" } })],
    ["body.config.s3_additional_kwargs.GrantRead", config({ s3_additional_kwargs: { GrantRead: "id=1" } })],
    ["body.config.s3_additional_kwargs.SSEKMSKeyId", config({ s3_additional_kwargs: { SSEKMSKeyId: "k" } })],
    ["body.config.s3_additional_kwargs", config({ s3_options: OPTIONS, s3_additional_kwargs: { ACL: "private" } })],
    ["body.config.s3_options.acl", config({ s3_options: { acl: "private\r\nX-Evil: 1" } })],
    ["body.config.s3_options.storage_class", config({ s3_options: { storage_class: "COLD\r\nX-Evil: 1" } })],
    ["body.config.s3_options.storage_class", config({ s3_options: { storage_class: "" } })],
    ["body.config.s3_options.server_side_encryption", config({ s3_options: { server_side_encryption: "rot13" } })],
    ["body.config.s3_options.kms_key_id", config({ s3_options: { ...KMS, kms_key_id: "a\nb" } })],
    [
      "body.config.s3_options.kms_key_id",
      config({ s3_options: { server_side_encryption: "AES256", kms_key_id: "key-1" } }),
    ],
    ["body.config.s3_options.tagging", config({ s3_options: { tagging: "a=b\r\nX-Evil: 1" } })],
    ["body.config.s3_options.tagging", config({ s3_options: { tagging: "a=%" } })],
    ["body.config.config_kwargs_s3.addressing_style", config({ config_kwargs_s3: { addressing_style: "virtual" } })],
    ["body.config.buket", config({ buket: "x" })],
    ["body.aws_role_arn", { ...body, aws_role_arn: "arn:aws:iam::1:role/x" }],
    ["body.credentials", { ...body, credentials: undefined }],
    ["body.credentials", { ...body, credentials: null }],
    ["body.credentials.access_key_id", credentials({ access_key_id: "" })],
    ["body.credentials.secret_access_key", { ...body, credentials: { access_key_id: "a" } }],
    ["body.credentials.session_token", credentials({ session_token: `${MARK}\nb` })],
    ["body.credentials.session_token", credentials({ session_token: `${MARK}${"t".repeat(16_384)}` })],
    ["body.credential", { ...body, credential: {} }],
  ])("%s", async (loc, sent) => {
    const answer = await create(sent);
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.detail.map((error: { loc: string[] }) => error.loc.join("."))).toEqual([loc]);
  });
});

it("new credentials are tested first; if the test fails, the old ones stay", async () => {
  const id = await newDestination(workspace);
  const { credentials } = destinationBody();
  const path = `${DESTINATIONS}/${id}`;
  const patch = (body: object) => call("PATCH", path, { headers: workspace.headers, body });
  const before = await call("GET", path, { headers: workspace.headers });
  const refused = await patch({ credentials: { ...credentials, secret_access_key: `${MARK}-wrong` } });
  expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("Access denied")]);
  expect((await call("GET", path, { headers: workspace.headers })).body).toEqual(before.body);
  expect((await patch({ credentials })).status).toBe(200);
  expect((await patch({ display_name: "Renamed" })).body.display_name).toBe("Renamed");
  expect((await patch({})).status).toBe(422);
  expect((await patch({ credentials: null })).status).toBe(422);
});

it("a bucket may have capital letters where the store knows it, and a session token thousands of characters", async () => {
  const body = destinationBody();
  const config = { ...body.config, endpoint_url: inject("capitalEndpoint"), bucket_name: "Old_Bucket" };
  const credentials = { ...body.credentials, session_token: `${MARK}${"t".repeat(6_000)}` };
  const created = await create({ ...body, config, credentials });
  expect([created.status, created.body.config?.bucket_name]).toEqual([200, "Old_Bucket"]);
  const unknown = await create({ ...body, config: { ...body.config, bucket_name: "Upper" } });
  expect([unknown.status, unknown.body.detail]).toEqual([400, expect.stringContaining("Bucket is not valid")]);
});

it("a deleted destination is not found", async () => {
  const id = await newDestination(workspace);
  const path = `${DESTINATIONS}/${id}`;
  expect((await call("DELETE", path, { headers: workspace.headers })).status).toBe(204);
  expect((await call("GET", path, { headers: workspace.headers })).status).toBe(404);
  expect((await call("DELETE", path, { headers: workspace.headers })).status).toBe(404);
});

it("a destination of another workspace is not found", async () => {
  const id = await newDestination(workspace);
  const stranger = await newWorkspace();
  const path = `${DESTINATIONS}/${id}`;
  const { headers } = stranger;
  expect((await call("GET", path, { headers })).status).toBe(404);
  expect((await call("PATCH", path, { headers, body: { display_name: "Mine" } })).status).toBe(404);
  expect((await call("DELETE", `${path}?force=true`, { headers })).status).toBe(404);
  expect((await call("GET", DESTINATIONS, { headers })).body).toEqual([]);
  expect((await call("GET", path, { headers: workspace.headers })).body.display_name).toBe("My bucket");
});

it("a list of destinations is paged", async () => {
  const own = await newWorkspace();
  const ids = [await newDestination(own), await newDestination(own), await newDestination(own)];
  const page = async (query: string) =>
    (await call("GET", `${DESTINATIONS}${query}`, { headers: own.headers })).body.map(({ id }: { id: string }) => id);
  const all = await page("");
  expect([...all].sort()).toEqual([...ids].sort());
  expect(await page("?limit=2")).toEqual(all.slice(0, 2));
  expect(await page("?limit=2&offset=2")).toEqual(all.slice(2));
});

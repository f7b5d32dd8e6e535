import { env, exports } from "cloudflare:workers";
import { inject } from "vitest";
import { answer } from "../../src/http/app.ts";
import type { WireProfileName } from "../../src/settings.ts";
import { assertFindable, searchAnswer } from "../support/secrets/exchange.ts";
import { ADMIN_KEY } from "../support/secrets/mark.ts";

/** A response, its body parsed when it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests read responses without types; a wrong type fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly body: any;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON; text and bytes are sent unchanged. */
  readonly body?: object | string | Uint8Array<ArrayBuffer>;
}

const ORIGIN = "https://waybill.test";
export const ADMIN = { Authorization: `Bearer ${ADMIN_KEY}` };

const requestOf = (method: string, path: string, sent: Sent): Request => {
  const { body } = sent;
  const isJson = typeof body === "object" && !(body instanceof Uint8Array);
  const bytes = isJson ? JSON.stringify(body) : body;
  if (typeof bytes === "string") assertFindable(bytes);
  return new Request(`${ORIGIN}${path}`, {
    method,
    headers: { ...(bytes === undefined ? {} : { "Content-Type": "application/json" }), ...sent.headers },
    ...(bytes === undefined ? {} : { body: bytes }),
  });
};

/** All requests to the product pass here; its answers are searched for secrets. */
const ask = async (
  answering: (request: Request) => Promise<Response>,
  method: string,
  path: string,
  sent: Sent,
): Promise<Answer> => read(method, path, await answering(requestOf(method, path, sent)));

const read = async (method: string, path: string, response: Response): Promise<Answer> => {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  searchAnswer({ method, path }, response.headers, text);
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : null,
    text,
    bytes,
  };
};

/** Sends a request to the Worker as deployed, in profile `spec`. */
export const call = (method: string, path: string, sent: Sent = {}): Promise<Answer> =>
  ask((request) => exports.default.fetch(request), method, path, sent);

/** Sends a GET whose response is a stream: resolves when it has started, to a function that reads the rest. */
export const openStream = async (path: string, sent: Sent): Promise<() => Promise<Answer>> => {
  const response = await exports.default.fetch(requestOf("GET", path, sent));
  return () => read("GET", path, response);
};

/** Sends a request with other settings than those of wrangler.toml. */
export const callWith = (
  settings: Readonly<Record<string, string>>,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Answer> => {
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} } as unknown as ExecutionContext; // nothing here uses more of it
  // The bindings of wrangler.toml are those of Env; the generated type does not include them.
  const bindings = { ...env, ...settings } as unknown as Parameters<typeof answer>[1];
  return ask((request) => answer(request, bindings, context), method, path, sent);
};

export const profile = (name: WireProfileName): Readonly<Record<string, string>> => ({ WIRE_PROFILE: name });

/** A new workspace for one test. */
export interface TestWorkspace {
  readonly id: string;
  readonly apiKey: string;
  /** Both headers of [AUT-2]. */
  readonly headers: Readonly<Record<string, string>>;
}

export const newWorkspace = async (plan = "enterprise", role = "manage"): Promise<TestWorkspace> => {
  const created = await call("POST", "/admin/workspaces", { headers: ADMIN, body: { name: "tests", plan } });
  if (created.status !== 200) throw new Error(created.text);
  return { id: created.body.id, ...(await newKey(created.body.id, role)) };
};

export const newKey = async (workspaceId: string, role: string): Promise<Omit<TestWorkspace, "id">> => {
  const path = `/admin/workspaces/${workspaceId}/keys`;
  const made = await call("POST", path, { headers: ADMIN, body: { label: "tests", role } });
  if (made.status !== 200) throw new Error(made.text);
  const apiKey: string = made.body.api_key;
  return { apiKey, headers: { "X-API-Key": apiKey, "X-Tenant-Id": workspaceId } };
};

/** A valid destination: the local bucket. */
export const destinationBody = () => {
  const bucket = inject("customerBucket");
  return {
    destination_type: "s3",
    display_name: "My bucket",
    config: {
      bucket_name: bucket.bucketName,
      prefix: "exports",
      region: bucket.region,
      endpoint_url: bucket.endpointUrl,
    },
    credentials: { access_key_id: bucket.accessKeyId, secret_access_key: bucket.secretAccessKey },
  };
};

export const DESTINATIONS = "/api/v1/bulk-exports/destinations";
export const EXPORTS = "/api/v1/bulk-exports";

export const newDestination = async (workspace: TestWorkspace): Promise<string> => {
  const created = await call("POST", DESTINATIONS, { headers: workspace.headers, body: destinationBody() });
  if (created.status !== 200) throw new Error(created.text);
  return created.body.id;
};

export const newProject = async (workspace: TestWorkspace, name: string = crypto.randomUUID()): Promise<string> => {
  const created = await call("POST", "/api/v1/sessions", { headers: workspace.headers, body: { name } });
  if (created.status !== 200) throw new Error(created.text);
  return created.body.id;
};

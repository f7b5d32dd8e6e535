import { type AgentBundle, bundleOf } from "../../../../src/agent/bundle.ts";
import { MAX_TARBALL_BYTES } from "../../../../src/agent/limits.ts";
import type {
  Bundle,
  DeploymentDefinition,
  RevisionContent,
  RevisionFailure,
} from "../../../../src/domain/deployment/records.ts";
import { fail, ok, type Result } from "../../../../src/domain/shared/result.ts";
import { boundedBody } from "../../../../src/net/bounded-body.ts";
import { Deadline } from "../../../../src/net/deadline.ts";
import type { Env } from "../../../protocol/env.ts";

/** Sources and bundles of agent servers, in Waybill's own bucket. */

const DOWNLOAD_WITHIN_MS = 20_000;

/** Key of an upload. `path` is known to the customer and has no tenant; its schema has checked it. */
const uploadKey = (tenantId: string, path: string): string => path.replace("uploads/", `uploads/${tenantId}/`);

export const isUrl = (path: string): boolean => /^https?:/i.test(path);

export async function storeUpload(env: Env, tenantId: string, path: string, bytes: Uint8Array): Promise<void> {
  await env.SEGMENTS.put(uploadKey(tenantId, path), bytes);
}

/** Why the source of a revision is missing; null: it was uploaded, or it is not an upload. */
export async function missingSource(
  env: Env,
  { tenantId, source }: DeploymentDefinition,
  { tarballPath }: RevisionContent,
): Promise<RevisionFailure | null> {
  if (source !== "internal_source" || tarballPath === null || isUrl(tarballPath)) return null;
  const found = await env.SEGMENTS.head(uploadKey(tenantId, tarballPath));
  if (found !== null) return null;
  const message = `Nothing was uploaded to ${tarballPath}: send the .tar.gz with PUT to its upload_url first.`;
  return { reason: "upload_missing", message };
}

/** Builds modules from the source of a revision, and stores them. */
export async function build(
  env: Env,
  { tenantId, id }: DeploymentDefinition,
  revisionId: string,
  { tarballPath, configPath }: RevisionContent,
): Promise<Result<Bundle, RevisionFailure>> {
  const tarball = await readTarball(env, tenantId, tarballPath ?? "");
  if (!tarball.ok) return tarball;
  const bundle = bundleOf(tarball.value, configPath ?? "");
  if (!bundle.ok) return fail({ reason: "source_refused", message: bundle.failure });
  const text = JSON.stringify(bundle.value);
  const key = `${folderOf(tenantId, id)}${revisionId}.json`;
  await env.SEGMENTS.put(key, text);
  const { mainModule, modules } = bundle.value;
  return ok({ key, mainModule, modules: Object.keys(modules).length, bytes: text.length });
}

/** The bundle that `build` stored; null: it is gone. */
export async function readBundle(env: Env, key: string): Promise<AgentBundle | null> {
  const object = await env.SEGMENTS.get(key);
  return object === null ? null : object.json<AgentBundle>();
}

/** Removes every bundle of a deployment. */
export async function removeBundles(env: Env, { tenantId, id }: DeploymentDefinition): Promise<void> {
  for (;;) {
    const { objects } = await env.SEGMENTS.list({ prefix: folderOf(tenantId, id) });
    if (objects.length === 0) return;
    await env.SEGMENTS.delete(objects.map((object) => object.key));
  }
}

const folderOf = (tenantId: string, deploymentId: string): string => `agents/${tenantId}/${deploymentId}/`;

async function readTarball(env: Env, tenantId: string, path: string): Promise<Result<Uint8Array, RevisionFailure>> {
  if (isUrl(path)) return download(path);
  const object = await env.SEGMENTS.get(uploadKey(tenantId, path));
  if (object === null) return fail({ reason: "upload_missing", message: `The upload ${path} is not there any more.` });
  return ok(new Uint8Array(await object.arrayBuffer()));
}

/**
 * The address was checked when the customer sent it; a redirect could lead to an unchecked one. Cloudflare's cache
 * keeps files with this extension for hours unless their server forbids it (Cloudflare: Default cache behavior), so it
 * is bypassed.
 */
async function download(url: string): Promise<Result<Uint8Array, RevisionFailure>> {
  const deadline = new Deadline(DOWNLOAD_WITHIN_MS);
  try {
    const answer = await fetch(url, { redirect: "manual", cache: "no-store", signal: deadline.signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      return failed(`The source's address answered ${answer.status}; it must answer 200, without a redirect.`);
    }
    const bytes = await boundedBody(answer, MAX_TARBALL_BYTES);
    return bytes === null ? failed(`The source is longer than ${MAX_TARBALL_BYTES} bytes.`) : ok(bytes);
  } catch {
    return failed("The source's address did not answer in time, or the connection broke.");
  } finally {
    deadline.clear();
  }
}

const failed = (message: string) => fail<RevisionFailure>({ reason: "download_failed", message });

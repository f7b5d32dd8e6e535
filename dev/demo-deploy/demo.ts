import { join } from "node:path";
import { DAY_MS } from "../../src/domain/shared/time.ts";
import { type ApiAccess, ask, projectId } from "../api.ts";
import {
  createDeployment,
  type DeploymentAnswer,
  listRevisions,
  patchDeployment,
  type RevisionAnswer,
  readDeployment,
  readStatuses,
  redeploy,
  untilSettled,
  uploadSource,
} from "../control-plane.ts";
import { progressLine } from "../demo/progress-line.ts";
import { DevFailure } from "../failure.ts";
import { withTemporaryWaybill } from "../temporary.ts";
import { chat, type Reply, startLoad } from "./load.ts";
import { pack, packExample } from "./pack.ts";

const NAME = "demo agent";
const POLL_INTERVAL_MS = 50;

/** A server that fails to start. */
const BROKEN = `throw new Error("the prompt of the agent is missing"); export default { fetch() {} };`;

/** Deploys, changes and rolls back a real agent server under load [DEP-29]. */
export const demo = async (): Promise<void> => {
  console.log("\nWaybill demo: an agent server is deployed, replaced and rolled back. Nothing leaves this machine.\n");
  const steps = progressLine();
  steps.begin("Starting the service");
  await withTemporaryWaybill({ name: "waybill-deploy", keepsFiles: false }, async ({ config }, folder) => {
    steps.done(config.url);
    await show(config, folder, steps);
  });
};

const show = async (api: ApiAccess, folder: string, steps: ReturnType<typeof progressLine>): Promise<void> => {
  steps.begin("Bundling and packing examples/agent");
  const source = await packExample(join(folder, "bundle"));
  steps.done(`${Math.round(source.length / 1024)} KiB`);

  const settle = async (title: string, change: () => Promise<DeploymentAnswer>): Promise<RevisionAnswer> => {
    steps.begin(title);
    const revision = await untilSettled(api, await change(), POLL_INTERVAL_MS, (status) => steps.update(status));
    steps.done((await readStatuses(api, id, revision.id)).join(" > "));
    return revision;
  };

  let id = "";
  const first = await settle("Creating a deployment", async () => {
    const config = {
      langgraph_config_path: "waybill.json",
      source_tarball_path: await uploadSource(api, source),
    };
    const body = { name: NAME, source: "internal_source", source_config: {}, source_revision_config: config };
    const created = await createDeployment(api, { ...body, secrets: [{ name: "GREETING", value: "Hello" }] });
    id = created.id;
    return created;
  });
  expectStatus(first, "DEPLOYED");
  const { url } = await readDeployment(api, id);
  if (url === null) throw new DevFailure("The deployment is DEPLOYED but has no url.");

  steps.begin("Calling it");
  const reply = await chat(api, url, "world");
  if ("failure" in reply) throw new DevFailure(`The agent answered ${reply.failure}`);
  steps.done(`"${reply.text}"`);

  const load = startLoad(api, url);
  const second = await settle("Changing it, under load: revision 2", () =>
    patchDeployment(api, id, { secrets: [{ name: "GREETING", value: "Welcome" }] }),
  );
  const third = await settle("Deploying a broken server: revision 3", async () => {
    const path = await uploadSource(api, await pack(join(folder, "broken"), BROKEN));
    return patchDeployment(api, id, { source_revision_config: { source_tarball_path: path } });
  });
  const serving = await readDeployment(api, id);
  const stillGood = await chat(api, url, "world");
  const fourth = await settle("Rolling back to revision 1: revision 4", () => redeploy(api, id, first.id));
  const last = await chat(api, url, "world");
  const result = await load.stop();

  expectStatus(second, "DEPLOYED");
  expectStatus(third, "DEPLOY_FAILED");
  expectStatus(fourth, "DEPLOYED");
  if (serving.active_revision_id !== second.id) throw new DevFailure("The broken revision replaced revision 2.");
  console.log(`\nRevision 3 failed: ${third.failure?.message}`);
  console.log(`Revision 2 continued to serve: ${textOf(stillGood)}; after the rollback: ${textOf(last)}\n`);
  for (const revision of (await listRevisions(api, id)).toReversed()) {
    console.log(`   ${revision.id}  ${revision.status}`);
  }
  if (result.failed.length > 0) {
    throw new DevFailure(`${result.failed.length} requests failed meanwhile; the first: ${result.failed[0]}`);
  }
  console.log(`\n${result.answered} requests during the demo, 0 failed; replies: ${result.replies.join(" ")}`);
  const turns = result.answered + 3;
  const traced = await tracedRuns(api);
  if (traced !== turns) throw new DevFailure(`${turns} turns were answered, but ${traced} runs were traced.`);
  console.log(`${turns} turns answered, ${traced} runs in the tracing project "${NAME}": equal.\n`);
};

const textOf = (reply: Reply): string => ("text" in reply ? `"${reply.text}"` : reply.failure);

const expectStatus = ({ status, failure }: RevisionAnswer, expected: string): void => {
  if (status !== expected)
    throw new DevFailure(`The revision is ${status} instead of ${expected}: ${failure?.message}`);
};

/** Number of runs that an export of the last and the next 24 hours would contain. */
const tracedRuns = async (api: ApiAccess): Promise<number> => {
  const window = {
    start_time: new Date(Date.now() - DAY_MS).toISOString(),
    end_time: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const body = { session_id: await projectId(api, NAME), ...window };
  return (await ask<{ rows: number }>(api, "POST", "/api/v1/bulk-exports/estimate", body)).rows;
};

import { workspace } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import { ingestChanges } from "../../../durable/worker/ingest.ts";
import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../../src/domain/shared/result.ts";
import { NO_FIELDS, type RunChange } from "../../../src/trace/run/change.ts";
import { feedbackEdit } from "../../../src/trace/run/feedback.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Random } from "../kernel/random.ts";
import type { CustomerBucket } from "../store/customer-bucket.ts";
import { contentOf, type Rows, type Sent, type SentRow } from "./rows.ts";
import type { Act, Batch, Scenario, WantedExport } from "./scenario.ts";

/** Delay before a customer repeats a request. */
const RETRY_MS = 2000;

/** Longer than the delays of the two consecutive calls of a pause. */
const RESUME_AGAIN_MS = 300_000;

const HOUR_MS = 3_600_000;

/** The clients of one tenant: they send traces, create exports, and pause, cancel and retry them. */
export class Customer {
  readonly tenantId: string;
  readonly #env: Env;
  readonly #kernel: Kernel;
  readonly #rows: Rows;
  readonly #bucket: CustomerBucket;
  readonly #random: Random;
  readonly #edges: readonly number[];
  #projectId = "";
  #destinationId = "";
  #rotations = 0;
  /** Ids of exports in the order of the scenario; null: not created yet. */
  readonly exportIds: (string | null)[] = [];

  constructor(world: { env: Env; kernel: Kernel; rows: Rows; bucket: CustomerBucket; scenario: Scenario }) {
    this.#env = world.env;
    this.#kernel = world.kernel;
    this.#rows = world.rows;
    this.#bucket = world.bucket;
    this.#random = new Random(world.scenario.seed ^ 0x5eed);
    this.#edges = world.scenario.edges;
    this.tenantId = this.#random.uuid();
  }

  /** All secrets so far, including replaced ones. They must not appear outside of the vault. */
  readonly secrets: string[] = [];

  async begin(): Promise<void> {
    const home = workspace(this.#env, this.tenantId);
    await home.create({ id: this.tenantId, name: "simulated", plan: "enterprise" });
    const [project] = await home.resolveProjects([{ name: "demo" }]);
    if (!project?.ok) throw new Error("the project was not created");
    this.#projectId = project.value.id;
    this.#destinationId = this.#random.uuid();
    const created = await home.createDestination({
      id: this.#destinationId,
      displayName: "bucket",
      config: {
        bucketName: "customer-bucket",
        prefix: "traces",
        region: null,
        endpointUrl: "https://s3.example.com",
        includeBucketInPrefix: false,
      },
      credentials: this.#newCredentials(),
    });
    if (!created.ok) throw new Error(`the destination was not created: ${JSON.stringify(created.failure)}`);
  }

  /** Sends runs, their patches and their feedback, and repeats each until it is acknowledged, as the SDK does. */
  async ingest(batch: Batch): Promise<void> {
    const rows = Array.from({ length: batch.rows }, () => this.#newRow(batch));
    for (const row of rows) this.#rows.add(row);
    const posts = rows.map((row) => ({ sent: row, change: postOf(row, this.#projectId, this.#random.chance(0.8)) }));
    const others = rows.flatMap((row) => this.#othersOf(row));
    // A change that comes before its run has to be searched for.
    const postsAfterMs = others.length > 0 && this.#random.chance(0.2) ? this.#random.pick([100, 3000, 40_000]) : 0;
    await Promise.all([
      this.#send(posts, postsAfterMs),
      ...others.map((one) => this.#send([one], one.isAddressed ? one.afterMs + postsAfterMs : one.afterMs)),
    ]);
  }

  /** Begins somewhere in the range of the batch, often at the edge of a window. */
  #newRow({ start, end, isPlain }: Batch): SentRow {
    const edges = this.#edges.flatMap((edge) => [edge - 1, edge]).filter((edge) => edge >= start && edge < end);
    const isAtEdge = edges.length > 0 && this.#random.chance(0.3);
    return {
      id: this.#random.uuid(),
      start: isAtEdge ? this.#random.pick(edges) : this.#random.between(start, end - 1),
      sentAt: null,
      acknowledgedAt: null,
      patch: !isPlain && this.#random.chance(0.4) ? { sentAt: null, acknowledgedAt: null } : null,
      feedback: !isPlain && this.#random.chance(0.2) ? { sentAt: null, acknowledgedAt: null } : null,
    };
  }

  /** The patch and the feedback of a row: with its post, during an export, or when it was sealed long ago. */
  #othersOf(row: SentRow): readonly LaterSending[] {
    const afterMs = () => this.#random.between(0, this.#random.pick([0, 3000, 60_000, 30 * 60_000]));
    const others: LaterSending[] = [];
    if (row.patch !== null) {
      const isAddressed = this.#random.chance(0.5);
      const address = isAddressed ? { project: { id: this.#projectId }, start_time: row.start } : {};
      others.push({ sent: row.patch, change: patchOf(row, address), afterMs: afterMs(), isAddressed });
    }
    if (row.feedback !== null) {
      const change = feedbackOf(row, this.#random.uuid());
      others.push({ sent: row.feedback, change, afterMs: afterMs(), isAddressed: false });
    }
    return others;
  }

  async #send(sendings: readonly Sending[], afterMs: number): Promise<void> {
    if (afterMs > 0) await this.#kernel.sleep(afterMs, "the customer sends a later change");
    for (const { sent } of sendings) sent.sentAt = this.#kernel.now;
    await this.#insist(async () => {
      async function* each() {
        for (const { change } of sendings) yield ok(change);
      }
      const home = workspace(this.#env, this.tenantId);
      const outcome = await ingestChanges(this.#env, this.tenantId, (asked) => home.resolveProjects(asked), each());
      if (outcome.capacity !== null) throw new Error(outcome.capacity.message);
      if (outcome.refusals.length > 0) throw new Error(JSON.stringify(outcome.refusals));
    });
    for (const { sent } of sendings) sent.acknowledgedAt = this.#kernel.now;
  }

  /** Creates an export. A schedule is cancelled after its windows. */
  async export(wanted: WantedExport, index: number): Promise<void> {
    const id = this.#random.uuid();
    const { start, end, intervalHours, catchUp, formatVersion, exportFields, compression } = wanted;
    const definition: ExportDefinition = {
      id,
      tenantId: this.tenantId,
      destinationId: this.#destinationId,
      projectId: this.#projectId,
      start,
      end,
      intervalHours,
      catchUp,
      filter: null,
      exportFields,
      formatVersion,
      compression,
      sourceExportId: null,
      retryOfRunId: null,
      createdAt: Date.now(),
    };
    this.exportIds[index] = id;
    await this.#insist(() => workspace(this.#env, this.tenantId).createExport(definition));
    if (intervalHours === null) return;
    const lastsUntil = start / 1000 + wanted.windows * intervalHours * HOUR_MS + 15 * 60_000;
    await this.#kernel.sleep(lastsUntil - this.#kernel.now, "the schedule has lived long enough");
    await this.#order(() => workspace(this.#env, this.tenantId).cancelExport(id));
  }

  async act({ kind, target }: Act): Promise<void> {
    const home = workspace(this.#env, this.tenantId);
    const id = this.exportIds[target];
    switch (kind) {
      case "cancel":
        if (id != null) await this.#order(() => home.cancelExport(id));
        return;
      case "look":
        if (id != null) await this.#insist(() => home.listRuns({ exportId: id, ...FIRST_BATCH }));
        return;
      case "pause":
        if (id != null) await this.#pauseForAWhile(id);
        return;
      case "retry":
        if (id != null) await this.#retryRuns(id);
        return;
      case "rotate":
        await this.#rotate();
        return;
      case "delete_destination":
        await this.#insist(() => home.deleteDestination({ id: this.#destinationId, force: true }));
        return;
    }
  }

  async #pauseForAWhile(id: string): Promise<void> {
    const home = workspace(this.#env, this.tenantId);
    await this.#order(() => home.pauseExport(id));
    await this.#kernel.sleep(this.#random.pick([1, 3, 10, 600]) * 1000, "the customer has thought about it");
    await this.#order(() => home.resumeExport(id));
    // A delayed pause may have arrived after the resume.
    await this.#kernel.sleep(RESUME_AGAIN_MS, "the customer looks whether it goes on");
    await this.#order(() => home.resumeExport(id));
  }

  /** Retries each failed run of the export. */
  async #retryRuns(id: string): Promise<void> {
    const home = workspace(this.#env, this.tenantId);
    const runs = await this.#insist(() => home.listRuns({ exportId: id, ...FIRST_BATCH }));
    for (const { id: runId } of runs.ok ? runs.value.items : [])
      await this.#insist(() => home.retryRun({ exportId: id, runId }));
  }

  /** Rotates the credentials: both key pairs are valid until the new one is stored. */
  async #rotate(): Promise<void> {
    const credentials = this.#newCredentials();
    const home = workspace(this.#env, this.tenantId);
    const updated = await this.#insist(() => home.updateDestination({ id: this.#destinationId, credentials }));
    if (!updated.ok) return;
    // Not those of a later rotation, which may be under way.
    for (const key of this.#bucket.keys)
      if (rotationOf(key) < rotationOf(credentials.accessKeyId)) this.#bucket.keys.delete(key);
  }

  #newCredentials() {
    this.#rotations += 1;
    const accessKeyId = `AKIA${this.#rotations}`;
    const secretAccessKey = `secret-of-the-customer-${this.#random.uuid()}`;
    this.secrets.push(secretAccessKey);
    this.#bucket.keys.add(accessKeyId);
    return { accessKeyId, secretAccessKey, sessionToken: null };
  }

  /** Repeats an order until it is accepted or finally refused. An export that is not ready answers with "try again". */
  async #order(ask: () => Promise<Result<unknown, Refusal>>): Promise<void> {
    await this.#insist(async () => {
      const answer = await ask();
      if (!answer.ok && answer.failure.reason === "conflict" && answer.failure.message.endsWith("try again."))
        throw new Error(answer.failure.message);
    });
  }

  /** Repeats a request until there is an answer. */
  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await this.#kernel.sleep(RETRY_MS, "the customer asks again");
      }
    }
  }
}

/** A change, and the record of its sending. */
interface Sending {
  readonly sent: Sent;
  readonly change: RunChange;
}

interface LaterSending extends Sending {
  readonly afterMs: number;
  /** Whether it names project and day: then it makes a run, so it is not sent before its post. */
  readonly isAddressed: boolean;
}

const encoded = (json: string): Uint8Array => new TextEncoder().encode(json);

function postOf({ id, start }: SentRow, projectId: string, isEnded: boolean): RunChange {
  const { inputs, posted } = contentOf(id);
  return {
    ...NO_FIELDS,
    kind: "post",
    id,
    project: { id: projectId },
    start_time: start,
    end_time: isEnded ? start + 5 : null,
    name: `run ${id.slice(0, 4)}`,
    inputs: encoded(inputs),
    extra: encoded(posted.extra),
    feedback: null,
  };
}

function patchOf({ id }: SentRow, address: Partial<RunChange>): RunChange {
  const { extra, outputs } = contentOf(id).patched;
  const values = { extra: encoded(extra), outputs: encoded(outputs) };
  return { ...NO_FIELDS, kind: "patch", id, project: null, feedback: null, ...values, ...address };
}

function feedbackOf({ id: runId }: SentRow, id: string): RunChange {
  const json = JSON.stringify({ id, key: contentOf(runId).feedbackKey, score: 1, created_at: "2031-03-04T12:00:00Z" });
  return feedbackEdit(runId, { id, json });
}

/** Number of the rotation that made the key. */
const rotationOf = (accessKeyId: string): number => Number(accessKeyId.replace("AKIA", ""));

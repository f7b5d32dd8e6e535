import type { Edit } from "./edits.ts";

/** A deliberate mistake, and the invariant that must find it. */
export interface Plant extends Edit {
  readonly name: string;
  readonly breaks: string;
  readonly foundBy: string;
}

/** Mistakes that somebody could make. Each is one edit of the product's text. */
export const PLANTS: readonly Plant[] = [
  {
    name: "alarm-not-armed-first",
    file: "durable/journal.ts",
    text: "this.#alarmAt = this.#moveAlarm(at);",
    replacement: "void at;",
    breaks: "an actor whose step breaks is woken by nobody",
    foundBy: "awake",
  },
  {
    name: "outbox-without-alarm",
    file: "durable/journal.ts",
    text: "return this.#waitingAfter(0) !== null ? Math.min(outboxAt, due ?? outboxAt) : due;",
    replacement: "return due;",
    breaks: "messages wait for an alarm that nobody sets",
    foundBy: "awake",
  },
  {
    name: "outbox-forgets-before-delivery",
    file: "durable/journal.ts",
    text: `        if (!this.#isReplaced(row.id, message)) await deliver(message);
        this.#storage.sql.exec("DELETE FROM outbox WHERE id = ?", row.id);`,
    replacement: `        this.#storage.sql.exec("DELETE FROM outbox WHERE id = ?", row.id);
        await deliver(message);`,
    breaks: "a message that does not arrive is lost",
    foundBy: "true-reports",
  },
  {
    name: "event-number-skipped",
    file: "durable/journal.ts",
    text: "      for (const event of events) {\n        seq += 1;",
    replacement: "      for (const event of events) {\n        seq += events.length;",
    breaks: "events of one command leave gaps in the log",
    foundBy: "history",
  },
  {
    name: "retry-counted-twice",
    file: "src/domain/run/decide.ts",
    text: "const retry = state.failures.length;",
    replacement: "const retry = 2 * state.failures.length;",
    breaks: "every failure costs two retries",
    foundBy: "spent-retries",
  },
  {
    name: "crash-spends-a-retry",
    file: "src/domain/run/decide.ts",
    text: "const CRASHES_UNTIL_PROCESSING_ERROR = 3;",
    replacement: "const CRASHES_UNTIL_PROCESSING_ERROR = 1;",
    breaks: "a death of the process counts as a failure",
    foundBy: "spent-retries",
  },
  {
    name: "lost-upload-ignored",
    file: "src/domain/run/decide.ts",
    text: `return upload?.file === command.file ? [{ type: "UploadLost", file: command.file, at }] : [];`,
    replacement: "return [];",
    breaks: "parts are sent to an upload that is gone until the retries are spent",
    foundBy: "spent-retries",
  },
  {
    name: "retry-without-limit",
    file: "src/domain/run/decide.ts",
    text: "state.retry >= limits.maxRetries)",
    replacement: "state.retry > limits.maxRetries)",
    breaks: "one retry more than allowed",
    foundBy: "spent-retries",
  },
  {
    name: "snapshot-taken-again",
    file: "src/domain/run/state.ts",
    text: "return running(known, { retry: event.retry, deadline: event.deadline, retryAt: null, step: null });",
    replacement: `return running(
        { ...known, progress: { ...known.progress, snapshot: null, plan: null, files: [] } },
        { retry: event.retry, deadline: event.deadline, retryAt: null, step: null },
      );`,
    breaks: "a retry exports what came since into the same files",
    foundBy: "stable-objects",
  },
  {
    name: "file-number-forgotten",
    file: "src/domain/layout.ts",
    text: "String(fileOrdinal).padStart(",
    replacement: "String(0 * fileOrdinal).padStart(",
    breaks: "the second file of a run overwrites the first",
    foundBy: "stable-objects",
  },
  {
    name: "file-without-a-look",
    file: "durable/steps/commit.ts",
    text: "  const seen = await store.head(key);\n  if (seen.ok && isThisFile",
    replacement:
      "  const seen = { ok: true, value: { bytes: work.file.bytes, etag: proof.expectedEtag } };\n  if (seen.ok && isThisFile",
    breaks: "a file is committed that the store did not keep",
    foundBy: "true-manifest",
  },
  {
    name: "name-of-a-file-with-its-time",
    file: "durable/steps/upload.ts",
    text: "key: runFileKey(spec, file.ordinal) }",
    replacement: `key: \`\${runFileKey(spec, file.ordinal)}-\${Date.now()}.parquet\` }`,
    breaks: "another try leaves another file beside the first",
    foundBy: "true-manifest",
  },
  {
    name: "abort-skipped",
    file: "durable/steps/clean.ts",
    text: "bucket.ok ? await abort(bucket.value, upload) : bucket.failure",
    replacement: "bucket.ok ? null : bucket.failure",
    breaks: "the upload of an ended run stays open",
    foundBy: "closed-uploads",
  },
  {
    name: "late-report-wins",
    file: "src/domain/workspace/decide.ts",
    text: "if (known === undefined || command.seq <= known.seq) return [];",
    replacement: "if (known === undefined) return [];",
    breaks: "a report that comes late replaces a newer one",
    foundBy: "true-reports",
  },
  {
    name: "one-export-too-many",
    file: "src/domain/workspace/decide.ts",
    text: "const room = Math.max(0, maxRunning - state.running.size);",
    replacement: "const room = Math.max(0, maxRunning + 1 - state.running.size);",
    breaks: "one more export works than may",
    foundBy: "admission",
  },
  {
    name: "one-run-too-many",
    file: "src/domain/export/decide.ts",
    text: "plan.limits.maxRunningRuns - working",
    replacement: "plan.limits.maxRunningRuns + 1 - working",
    breaks: "one more run of an export works than may",
    foundBy: "admission",
  },
  {
    name: "manifest-before-the-last-run",
    file: "src/domain/export/decide.ts",
    text: `state.runs.every((run) => run.report.status === "COMPLETED")`,
    replacement: `state.runs.some((run) => run.report.status === "COMPLETED")`,
    breaks: "an export is COMPLETED while its runs still write",
    foundBy: "true-manifest",
  },
  {
    name: "window-skipped",
    file: "src/domain/export/state.ts",
    text: "spawned: event.index + 1",
    replacement: "spawned: event.index + 2",
    breaks: "a schedule leaves out every other window",
    foundBy: "windows",
  },
  {
    name: "window-spawned-twice",
    file: "src/domain/export/state.ts",
    text: "spawned: event.index + 1",
    replacement: "spawned: event.index + (event.index % 2)",
    breaks: "a schedule spawns a window again",
    foundBy: "windows",
  },
  {
    name: "snapshot-without-hot-rows",
    file: "durable/trace-shard.ts",
    text: `await upkeep.seal("everything");`,
    replacement: `await upkeep.seal("due");`,
    breaks: "rows that are acknowledged and not sealed yet are left out",
    foundBy: "complete-rows",
  },
  {
    name: "scratch-of-a-cancelled-run",
    file: "durable/steps/clean.ts",
    text: "...Array.from({ length: snapshot?.segments ?? 0 }, ",
    replacement: "...Array.from({ length: context.progress().derived.length }, ",
    breaks: "what a run was making when it was cancelled stays for ever",
    foundBy: "at-rest",
  },
  {
    name: "credentials-kept-open",
    file: "durable/destination.ts",
    text: "credentials === null ? null : await sealCredentials(this.env, id, credentials);",
    replacement: "JSON.stringify(credentials);",
    breaks: "the bucket's secret lies in the log in plain text",
    foundBy: "secrets",
  },
];

import { z } from "@hono/zod-openapi";
import type { FeedbackRecord } from "../../../durable/worker/feedback.ts";
import { closedObject, paging, queryBoolean, severalOf, shownUuid, uuid } from "../kernel/fields.ts";

/** Maximum and default of `limit`, as in the original service. */
const FEEDBACK_PER_PAGE = 100;

/** Feedback must match all members sent, and any value of a member that is sent several times. */
export const feedbackQuery = closedObject({
  run: severalOf(uuid),
  session: severalOf(uuid),
  key: severalOf(z.string()),
  source: severalOf(z.string()).openapi({ description: "Types of the source: app, api, model, auto_eval." }),
  has_score: queryBoolean.optional(),
  ...paging(FEEDBACK_PER_PAGE, FEEDBACK_PER_PAGE),
});

/** Absent members and null are not changed. */
export const feedbackUpdate = z
  .object({
    score: z.union([z.number(), z.boolean()], { error: "Input should be a number, true or false" }).nullish(),
    value: z.unknown().optional(),
    comment: z.string().nullish(),
    correction: z.unknown().optional(),
  })
  .openapi("FeedbackUpdate");

/** A feedback in an answer. Members that were not sent are null. */
export const feedbackShown = z
  .object({
    id: shownUuid,
    run_id: shownUuid,
    trace_id: shownUuid.nullable(),
    session_id: shownUuid.nullable().openapi({ description: "Project of the run; null until the run is known." }),
    key: z.string(),
    score: z.union([z.number(), z.boolean()]).nullable(),
    value: z.unknown(),
    comment: z.string().nullable(),
    correction: z.unknown(),
    feedback_source: z.unknown(),
    feedback_group_id: z.unknown(),
    comparative_experiment_id: z.unknown(),
    extra: z.unknown(),
    created_at: z.string().openapi({ format: "date-time" }),
    modified_at: z.string().openapi({ format: "date-time" }),
  })
  .openapi("Feedback");

/** A JSON list written as a stream: a page of the longest feedback does not fit into memory. */
export const feedbackList = z.custom<ReadableStream<Uint8Array>>().openapi({
  type: "array",
  items: { $ref: "#/components/schemas/Feedback" },
});

const NOT_SENT = {
  trace_id: null,
  score: null,
  value: null,
  comment: null,
  correction: null,
  feedback_source: null,
  feedback_group_id: null,
  comparative_experiment_id: null,
  extra: null,
};

/** The record of a feedback in its wire shape. */
export const showFeedback = ({ runId, projectId, json }: FeedbackRecord): z.output<typeof feedbackShown> => ({
  ...NOT_SENT,
  // Written by this service under the names of the wire.
  ...(JSON.parse(json) as Omit<z.output<typeof feedbackShown>, "run_id" | "session_id" | keyof typeof NOT_SENT>),
  run_id: runId,
  session_id: projectId,
});

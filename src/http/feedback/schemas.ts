import { z } from "@hono/zod-openapi";
import type { FeedbackRecord } from "../../../durable/worker/feedback.ts";
import { closedObject, paging, severalOf, shownUuid, truth, uuid } from "../kernel/fields.ts";

/** The original lists at most this many at once, and as many without `limit`. */
const FEEDBACK_PER_PAGE = 100;

/** Feedback that fits everything sent; a member sent several times stands for any of its values. */
export const feedbackQuery = closedObject({
  run: severalOf(uuid),
  session: severalOf(uuid),
  key: severalOf(z.string()),
  source: severalOf(z.string()).openapi({ description: "Types of the source: app, api, model, auto_eval." }),
  has_score: truth.optional(),
  ...paging(FEEDBACK_PER_PAGE, FEEDBACK_PER_PAGE),
});

/** What is absent or null stays as it is. */
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
    session_id: shownUuid
      .nullable()
      .openapi({ description: "The project of its run; null as long as that is unknown." }),
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

/** It is put together as it goes out: a hundred of the longest do not fit into memory. */
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

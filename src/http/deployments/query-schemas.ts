import { z } from "@hono/zod-openapi";
import type { DeploymentRecord, RevisionRecord } from "../../domain/deployment/records.ts";
import { isSettled, REVISION_STATUSES } from "../../domain/deployment/revision-status.ts";
import { closedObject, paging, queryBoolean, uuid } from "../kernel/fields.ts";
import { DEPLOYMENT_TYPES } from "./request-schemas.ts";
import { DEPLOYMENT_STATUSES } from "./schemas.ts";

/** Lists of the control plane: their filters, and their pages [DEP-27]. */

const PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** Ids, separated by commas or in repeated parameters. */
export const ids = z
  .union([z.string(), z.array(z.string())])
  .transform((sent) => [sent].flat().flatMap((text) => text.split(",")))
  .pipe(z.array(uuid).min(1).max(MAX_PER_PAGE))
  .openapi({ type: "array", items: { type: "string", format: "uuid" } });

const words = <const Word extends string>(known: readonly Word[]) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((sent) => [sent].flat().flatMap((text) => text.split(",")))
    .pipe(z.array(z.enum(known)))
    .openapi({ type: "array", items: { type: "string", enum: [...known] } });

export const deploymentQuery = closedObject({
  ...paging(PER_PAGE, MAX_PER_PAGE),
  name_contains: z.string().optional(),
  status: z.enum(DEPLOYMENT_STATUSES).optional(),
  remote_reconciled: queryBoolean
    .optional()
    .openapi({ description: "Whether the latest revision has come to an end, good or bad." }),
  tag_value_ids: z
    .string()
    .optional()
    .openapi({ description: "Deployments have no tags here: with any, the list is empty." }),
  image_version: z
    .string()
    .optional()
    .openapi({ description: "Deployments have none here: with any, the list is empty." }),
  deployment_type: z.enum(DEPLOYMENT_TYPES).optional(),
  deployment_ids: ids.optional(),
});

export const revisionQuery = closedObject({
  ...paging(PER_PAGE, MAX_PER_PAGE),
  status: words(REVISION_STATUSES).optional(),
  remote_reconciled: queryBoolean.optional(),
});

type Filter<Query, Record> = (query: Query, record: Record) => boolean;

export const fitsDeployment: Filter<z.output<typeof deploymentQuery>, DeploymentRecord> = (query, record) => {
  const { definition, status } = record;
  const contains = query.name_contains?.toLowerCase() ?? "";
  return (
    definition.name.toLowerCase().includes(contains) &&
    (query.status ?? status) === status &&
    (query.remote_reconciled ?? record.isSettled) === record.isSettled &&
    query.tag_value_ids === undefined &&
    query.image_version === undefined &&
    (query.deployment_type ?? definition.deploymentType) === definition.deploymentType &&
    (query.deployment_ids?.includes(definition.id) ?? true)
  );
};

export const fitsRevision: Filter<z.output<typeof revisionQuery>, RevisionRecord> = (query, { status }) =>
  (query.status?.includes(status) ?? true) && (query.remote_reconciled ?? isSettled(status)) === isSettled(status);

/** A page of a list in its wire shape. */
export const pageShown = <Item extends z.ZodType>(item: Item, name: string) =>
  z
    .object({
      resources: z.array(item),
      offset: z.int().openapi({ description: "Send as `offset` for the next page." }),
    })
    .openapi(name);

export const showPage = <Record, Shown>(
  all: readonly Record[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
  show: (record: Record) => Shown,
): { resources: Shown[]; offset: number } => {
  const resources = all.slice(offset, offset + limit).map(show);
  return { resources, offset: offset + resources.length };
};

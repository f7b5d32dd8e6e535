import { type Attributes, type AttributeValue, jsonOf } from "./attribute-value.ts";
import { type Draft, newDraft, setField } from "./draft.ts";
import { setAt } from "./json-tree.ts";
import { ATTRIBUTES, TELLING_ATTRIBUTES } from "./mapping.ts";

/** Fills the draft from the attributes of a span, its resource and its scope, by the rows of the mapping. */
export function mapAttributes(draft: Draft, span: Attributes, around: readonly Attributes[]): void {
  const used = new Set<string>();
  for (const row of rows) {
    for (const { key, field, value } of matches(row, span)) {
      if (!(row.isRest && used.has(key)) && setField(draft, field, value)) used.add(key);
    }
  }
  for (const [attribute, runType] of TELLING_ATTRIBUTES)
    if (span.has(attribute)) setField(draft, ["run_type"], runType);
  for (const [key, value] of span) if (!used.has(key)) setAt(draft.metadata, [key], jsonOf(value));
  for (const attributes of around) {
    for (const [key, value] of attributes) {
      const field = projectFields.get(key);
      if (field === undefined || !setField(draft, [field], value)) setAt(draft.metadata, [key], jsonOf(value));
    }
  }
}

/** Only the attributes of the run's identity and of its position in the tree. */
export function identityOf(span: Attributes): Identity {
  const draft = newDraft();
  for (const row of identityRows) for (const { field, value } of matches(row, span)) setField(draft, field, value);
  return { texts: draft.texts, isRoot: draft.isRoot };
}

export type Identity = Pick<Draft, "texts" | "isRoot">;

const IDENTITY = new Set(["id", "trace_id", "parent_run_id", "is_root", "dotted_order"]);

/** A compiled row of the mapping. */
interface Row {
  /** The attribute's name, or the part before its first placeholder. */
  readonly prefix: string;
  /** null: the name has no placeholder. */
  readonly rest: RegExp | null;
  /** It takes attributes that no earlier row has taken. */
  readonly isRest: boolean;
  readonly field: readonly string[];
}

interface Match {
  readonly key: string;
  readonly field: readonly string[];
  readonly value: AttributeValue;
}

const rows: readonly Row[] = ATTRIBUTES.map(([attribute, field]) => {
  const brace = attribute.indexOf("{");
  if (brace < 0) return { prefix: attribute, rest: null, isRest: false, field: field.split(".") };
  const pattern = attribute
    .slice(brace)
    .replaceAll(".", "\\.")
    .replace("{n}", "(?<n>\\d{1,9})")
    .replace(/\{(key|path)\}/, "(?<$1>.+)");
  const rest = new RegExp(`^${pattern}$`, "s");
  return { prefix: attribute.slice(0, brace), rest, isRest: field.endsWith("{path}"), field: field.split(".") };
});

const identityRows = rows.filter(({ field }) => IDENTITY.has(field.join(".")));

/** Attributes of a resource that name the project of its spans. */
const projectFields: ReadonlyMap<string, string> = new Map(
  ATTRIBUTES.filter(([, field]) => field === "session_id" || field === "session_name"),
);

function* matches({ prefix, rest, field }: Row, attributes: Attributes): Generator<Match> {
  if (rest === null) {
    const value = attributes.get(prefix);
    if (value !== undefined) yield { key: prefix, field, value };
    return;
  }
  for (const [key, value] of attributes) {
    const groups = key.startsWith(prefix) ? rest.exec(key.slice(prefix.length))?.groups : undefined;
    if (groups !== undefined) yield { key, field: field.flatMap((step) => stepsOf(step, groups)), value };
  }
}

function stepsOf(step: string, groups: Readonly<Record<string, string>>): readonly string[] {
  if (!step.startsWith("{")) return [step];
  const text = groups[step.slice(1, -1)] ?? "";
  return step === "{path}" ? text.split(".") : [text];
}

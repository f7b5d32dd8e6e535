/**
 * Maps attributes and events of a span to fields of a run. This table is the only definition; the rest of the folder
 * applies it. Sources: the original's published mapping, OpenTelemetry's semantic conventions for generative AI (1.37
 * and earlier), OpenInference, OpenLLMetry (`traceloop.`, `llm.`), the Vercel AI SDK (`ai.`).
 *
 * - The first row whose attribute is present with a value of the right type sets a field; later rows do not change it.
 * - `{key}` matches the rest of an attribute's name, `{n}` a number. `{path}` matches a rest whose dots and numbers
 *   make objects and lists; it takes only attributes that no earlier row has taken.
 * - `inputs`, `outputs` and `usage_metadata` mean the whole object. JSON text of an object is kept unchanged; any other
 *   value becomes its member `input` or `output`. A whole object gets no further members.
 * - `metadata` and `invocation_params` without a member take the members of an object, also from JSON text.
 * - All remaining attributes go to `metadata` under their own names: those of the span, then of its resource and scope.
 * - `metadata` and `invocation_params` are members of `extra`. `usage_metadata` is a member of `metadata`, where tokens
 *   and costs are read.
 */
export const ATTRIBUTES: readonly (readonly [attribute: string, field: string])[] = [
  // Identity and position in the tree. They override OTLP's own ids.
  ["langsmith.span.id", "id"],
  ["langsmith.trace.id", "trace_id"],
  ["langsmith.span.parent_id", "parent_run_id"],
  ["langsmith.is_root", "is_root"],
  ["langsmith.span.dotted_order", "dotted_order"],
  ["langsmith.reference_example_id", "reference_example_id"],

  // The project, of the span or of its resource.
  ["langsmith.trace.session_id", "session_id"],
  ["langsmith.trace.session_name", "session_name"],
  ["ai.telemetry.metadata.ls_project_id", "session_id"],
  ["ai.telemetry.metadata.ls_project_name", "session_name"],

  ["langsmith.trace.name", "name"],
  ["traceloop.entity.name", "name"],
  ["tool.name", "name"],
  ["ai.toolCall.name", "name"],

  // Its values are mapped by `RUN_TYPES`.
  ["langsmith.span.kind", "run_type"],
  ["openinference.span.kind", "run_type"],
  ["traceloop.span.kind", "run_type"],
  ["gen_ai.operation.name", "run_type"],
  ["traceloop.llm.request.type", "run_type"],
  ["llm.request.type", "run_type"],
  ["ai.operationId", "run_type"],

  ["langsmith.span.tags", "tags"],
  ["tag.tags", "tags"],

  ["gen_ai.prompt", "inputs"],
  ["gen_ai.input.messages", "inputs.messages"],
  ["gen_ai.system_instructions", "inputs.system_instructions"],
  ["gen_ai.tool.call.arguments", "inputs"],
  ["input.value", "inputs"],
  ["traceloop.entity.input", "inputs"],
  ["gen_ai.prompt.{n}.message.{path}", "inputs.messages.{n}.{path}"],
  ["gen_ai.prompt.{n}.{path}", "inputs.messages.{n}.{path}"],
  ["llm.input_messages", "inputs.messages"],
  ["llm.input_messages.{n}.message.{path}", "inputs.messages.{n}.{path}"],
  ["ai.prompt.messages", "inputs.messages"],
  ["ai.prompt", "inputs"],
  ["ai.toolCall.args", "inputs"],
  ["ai.toolCall.input", "inputs"],
  ["ai.value", "inputs"],
  ["ai.values", "inputs"],
  ["prompt", "inputs"],

  ["gen_ai.completion", "outputs"],
  ["gen_ai.output.messages", "outputs.messages"],
  ["gen_ai.tool.call.result", "outputs"],
  ["output.value", "outputs"],
  ["traceloop.entity.output", "outputs"],
  ["gen_ai.completion.{n}.message.{path}", "outputs.messages.{n}.{path}"],
  ["gen_ai.completion.{n}.{path}", "outputs.messages.{n}.{path}"],
  ["llm.output_messages", "outputs.messages"],
  ["llm.output_messages.{n}.message.{path}", "outputs.messages.{n}.{path}"],
  ["retrieval.documents.{n}.document.content", "outputs.documents.{n}.page_content"],
  ["retrieval.documents.{n}.document.{path}", "outputs.documents.{n}.{path}"],
  ["ai.response.object", "outputs"],
  ["ai.response.text", "outputs.text"],
  ["ai.response.toolCalls", "outputs.tool_calls"],
  ["ai.toolCall.result", "outputs"],
  ["ai.toolCall.output", "outputs"],
  ["ai.embedding", "outputs"],
  ["ai.embeddings", "outputs"],
  ["all_messages_events", "outputs"],

  ["langsmith.usage_metadata", "usage_metadata"],
  ["langsmith.metadata.usage_metadata", "usage_metadata"],
  ["gen_ai.usage.input_tokens", "usage_metadata.input_tokens"],
  ["gen_ai.usage.output_tokens", "usage_metadata.output_tokens"],
  ["gen_ai.usage.total_tokens", "usage_metadata.total_tokens"],
  ["gen_ai.usage.prompt_tokens", "usage_metadata.input_tokens"],
  ["gen_ai.usage.completion_tokens", "usage_metadata.output_tokens"],
  ["gen_ai.usage.details.reasoning_tokens", "usage_metadata.reasoning_tokens"],
  ["llm.token_count.prompt", "usage_metadata.input_tokens"],
  ["llm.token_count.completion", "usage_metadata.output_tokens"],
  ["llm.token_count.total", "usage_metadata.total_tokens"],
  ["llm.usage.total_tokens", "usage_metadata.total_tokens"],
  ["ai.usage.promptTokens", "usage_metadata.input_tokens"],
  ["ai.usage.completionTokens", "usage_metadata.output_tokens"],
  ["ai.usage.inputTokens", "usage_metadata.input_tokens"],
  ["ai.usage.outputTokens", "usage_metadata.output_tokens"],
  ["ai.usage.totalTokens", "usage_metadata.total_tokens"],
  ["ai.usage.reasoningTokens", "usage_metadata.reasoning_tokens"],
  ["ai.usage.tokens", "usage_metadata.input_tokens"],
  ["llm.cost.prompt", "usage_metadata.input_cost"],
  ["llm.cost.completion", "usage_metadata.output_cost"],
  ["llm.cost.total", "usage_metadata.total_cost"],
  ["gen_ai.usage.cost", "usage_metadata.total_cost"],

  ["langsmith.metadata.{key}", "metadata.{key}"],
  ["traceloop.association.properties.{key}", "metadata.{key}"],
  ["ai.telemetry.metadata.{key}", "metadata.{key}"],
  ["metadata", "metadata"],
  ["gen_ai.provider.name", "metadata.ls_provider"],
  ["gen_ai.system", "metadata.ls_provider"],
  ["llm.provider", "metadata.ls_provider"],
  ["llm.system", "metadata.ls_provider"],
  ["gen_ai.request.model", "metadata.ls_model_name"],
  ["gen_ai.response.model", "metadata.ls_model_name"],
  ["llm.model_name", "metadata.ls_model_name"],

  ["gen_ai.request.model", "invocation_params.model"],
  ["gen_ai.response.model", "invocation_params.model"],
  ["gen_ai.request.temperature", "invocation_params.temperature"],
  ["gen_ai.request.top_p", "invocation_params.top_p"],
  ["gen_ai.request.top_k", "invocation_params.top_k"],
  ["gen_ai.request.max_tokens", "invocation_params.max_tokens"],
  ["gen_ai.request.frequency_penalty", "invocation_params.frequency_penalty"],
  ["gen_ai.request.presence_penalty", "invocation_params.presence_penalty"],
  ["gen_ai.request.seed", "invocation_params.seed"],
  ["gen_ai.request.stop_sequences", "invocation_params.stop"],
  ["gen_ai.request.encoding_formats", "invocation_params.encoding_formats"],
  ["gen_ai.tool.name", "invocation_params.tool_name"],
  ["gen_ai.tool.definitions", "invocation_params.tools"],
  ["tools", "invocation_params.tools"],
  ["tool_arguments", "invocation_params.tool_arguments"],
  ["llm.presence_penalty", "invocation_params.presence_penalty"],
  ["llm.frequency_penalty", "invocation_params.frequency_penalty"],
  ["llm.request.functions", "invocation_params.functions"],
  ["llm.invocation_parameters", "invocation_params"],
];

/** Names of span kinds, in any letter case, and their run types. */
export const RUN_TYPES: Readonly<Record<string, string>> = {
  llm: "llm",
  chain: "chain",
  tool: "tool",
  retriever: "retriever",
  embedding: "embedding",
  prompt: "prompt",
  parser: "parser",
  chat: "llm",
  completion: "llm",
  text_completion: "llm",
  generate_content: "llm",
  rerank: "retriever",
  reranker: "retriever",
  retrieval: "retriever",
  embeddings: "embedding",
  execute_tool: "tool",
  agent: "chain",
  create_agent: "chain",
  invoke_agent: "chain",
  invoke_workflow: "chain",
  workflow: "chain",
  task: "chain",
  guardrail: "chain",
  evaluator: "chain",
  "ai.generatetext.dogenerate": "llm",
  "ai.streamtext.dostream": "llm",
  "ai.generateobject.dogenerate": "llm",
  "ai.streamobject.dostream": "llm",
  "ai.embed.doembed": "embedding",
  "ai.embedmany.doembed": "embedding",
  "ai.toolcall": "tool",
};

/** When no row above names the kind of a span, the first of these attributes that is present decides. */
export const TELLING_ATTRIBUTES: readonly (readonly [attribute: string, runType: string])[] = [
  ["gen_ai.tool.name", "tool"],
  ["llm.prompt_template.variables", "prompt"],
  ["gen_ai.request.model", "llm"],
];

/** Run type of a span for which no rule applies. */
export const DEFAULT_RUN_TYPE = "chain";

/** Attributes of events that fill `inputs` and `outputs` where the span's own attributes do not. */
export const EVENT_ATTRIBUTES: readonly (readonly [event: string, attribute: string, field: string])[] = [
  ["gen_ai.content.prompt", "gen_ai.prompt", "inputs"],
  ["gen_ai.content.completion", "gen_ai.completion", "outputs"],
  ["gen_ai.client.inference.operation.details", "gen_ai.input.messages", "inputs.messages"],
  ["gen_ai.client.inference.operation.details", "gen_ai.system_instructions", "inputs.system_instructions"],
  ["gen_ai.client.inference.operation.details", "gen_ai.output.messages", "outputs.messages"],
];

/** Events that are one message each: the list that they extend under the same condition, and the default role. */
export const MESSAGE_EVENTS: readonly (readonly [event: string, list: string, role: string | null])[] = [
  ["gen_ai.system.message", "inputs.messages", "system"],
  ["gen_ai.user.message", "inputs.messages", "user"],
  ["gen_ai.assistant.message", "outputs.messages", "assistant"],
  ["gen_ai.tool.message", "outputs.messages", "tool"],
  ["gen_ai.choice", "outputs.choices", null],
];

/** Names that libraries use for the event of the first token of a stream; a run's events call it `new_token`. */
export const FIRST_TOKEN_EVENTS: readonly string[] = ["First Token Stream Event", "ai.stream.firstChunk"];

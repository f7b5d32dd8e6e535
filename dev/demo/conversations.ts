/** One conversation of the demo's support agent. All texts are invented. */
export interface Conversation {
  readonly customer: string;
  readonly question: string;
  readonly document: string;
  readonly answer: string;
  readonly model: Model;
  /** Whether the tool "look up order" fails. */
  readonly isBroken: boolean;
  /** Feedback score; null: none. */
  readonly score: number | null;
}

/** A trace that was sent: its number of runs and the id of its root. */
export interface Trace {
  readonly runs: number;
  readonly rootId: string;
}

/** A model's name and its price in US dollars per million tokens. */
export interface Model {
  readonly name: string;
  readonly inputPrice: number;
  readonly outputPrice: number;
}

const MODELS: readonly Model[] = [
  { name: "small-model-1", inputPrice: 0.4, outputPrice: 1.6 },
  { name: "large-model-1", inputPrice: 3, outputPrice: 15 },
  { name: "reasoning-model-1", inputPrice: 5, outputPrice: 25 },
];

const QUESTIONS = [
  ["Where is my parcel? 📦", "Parcels are handed over within a day.", "It left our hall yesterday evening."],
  ["May I send the kettle back?", "Returns are free for thirty days.", "Yes, for another two weeks."],
  ["Die Rechnung fehlt.", "Rechnungen stehen im Kundenkonto.", "Sie liegt jetzt in Ihrem Konto."],
  ["Can I change the address?", "An address is fixed once a parcel is packed.", "Done, the new label is printed."],
  ["¿Tienen la lámpara en azul?", "La lámpara existe en tres colores.", "Sí, quedan cuatro."],
] as const;

/** The tool "look up order" fails in one of this many conversations. */
const BROKEN_EVERY = 11;
const SCORED_EVERY = 4;

/** The n-th conversation. Deterministic. */
export const conversation = (n: number): Conversation => {
  const [question, document, answer] = QUESTIONS[n % QUESTIONS.length] ?? QUESTIONS[0];
  return {
    customer: `customer-${100 + (n % 17)}`,
    question,
    document,
    answer,
    model: MODELS[(n * 7) % MODELS.length] ?? MODELS[0] ?? { name: "none", inputPrice: 0, outputPrice: 0 },
    isBroken: n % BROKEN_EVERY === BROKEN_EVERY - 1,
    score: n % SCORED_EVERY === 0 ? ((n * 3) % 5) / 4 : null,
  };
};

/** Token usage with costs, in the members the langsmith SDK documents for `usage_metadata`. */
export const usageOf = (model: Model, inputTokens: number, outputTokens: number): Record<string, number> => {
  const input_cost = (inputTokens * model.inputPrice) / 1e6;
  const output_cost = (outputTokens * model.outputPrice) / 1e6;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_cost,
    output_cost,
    total_cost: input_cost + output_cost,
  };
};

/** Limits of a filter. It is untrusted input: its cost is bounded before it is evaluated. */

/** Longest filter in UTF-16 units. Filters made by programs list ids: about 400 of them fit [LIM-32]. */
export const MAX_FILTER_LENGTH = 16_384;

/** Most nested calls and lists: parser and checker recurse this deep. People write three or four levels [LIM-32]. */
export const MAX_NESTING = 32;

/** Most items of one list; a comparison with a list is one look-up, independent of its length [LIM-32]. */
export const MAX_LIST_ITEMS = 1000;

/**
 * Most comparisons in one filter; each value of a JSON object and each place that `search` covers counts. Each may be
 * evaluated for every value of a run's JSON, and in ClickHouse each one repeats the expression of the entries: a query
 * may have 500,000 elements there. 256 of the largest comparisons stay below that, 400 do not [LIM-32].
 */
export const MAX_COMPARISONS = 256;

/**
 * Values nested deeper than this are ignored. LangChain's serialized messages need ten levels; each level is one more
 * step in the ClickHouse expression [LIM-32].
 */
export const MAX_JSON_LEVELS = 16;

/** Longest key that a filter may name, in UTF-16 units; longer keys are not built [LIM-32]. */
export const MAX_KEY_LENGTH = 1024;

/** Bounds on a filter. It is hostile input: what it may cost is known before it is looked at. */

/** Longest filter in UTF-16 units. Filters built by programs list ids: this is room for some 400 of them [LIM-32]. */
export const MAX_FILTER_LENGTH = 16_384;

/** Calls and lists inside each other: parser and checker recurse this deep. People write three or four levels [LIM-32]. */
export const MAX_NESTING = 32;

/** Items of one list; a comparison with a list costs one look-up, whatever its length [LIM-32]. */
export const MAX_LIST_ITEMS = 1000;

/**
 * Comparisons in one filter; each value of a JSON object and each place that `search` looks at counts. All may have to
 * be made for every value of a run's JSON, and for ClickHouse each one repeats the expression of the entries: a query
 * may have 500,000 elements there, which 256 of the largest comparisons stay below and 400 do not [LIM-32].
 */
export const MAX_COMPARISONS = 256;

/**
 * Levels of objects and lists below which no value is looked at. LangChain's serialized messages need ten; each
 * level is one more step in the ClickHouse expression [LIM-32].
 */
export const MAX_JSON_LEVELS = 16;

/** Longest key that a filter names, in UTF-16 units; no longer path is put together [LIM-32]. */
export const MAX_KEY_LENGTH = 1024;

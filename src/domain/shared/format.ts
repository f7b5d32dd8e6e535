/** `v1`: times without a zone, lists as JSON text. `v2_beta`: times in UTC, lists as LIST<STRING> [FIL-8]. */
export type FormatVersion = "v1" | "v2_beta";

/** Codec of the data pages in exported files. */
export type Compression = "zstandard" | "snappy" | "gzip" | "none";

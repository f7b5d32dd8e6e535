import { bytesField, joined, varintField } from "./protobuf.ts";
import type { OtlpFormat } from "./read-traces.ts";

/** Bodies of answers, in the encoding of the request. */

const encoder = new TextEncoder();

/** `ExportTraceServiceResponse`: everything was accepted. */
export const allTaken = (format: OtlpFormat): Uint8Array<ArrayBuffer> =>
  format === "json" ? jsonBytes({}) : joined([]);

/** `ExportTraceServiceResponse`: how many spans were refused, and why. */
export function partlyTaken(format: OtlpFormat, rejectedSpans: number, errorMessage: string): Uint8Array<ArrayBuffer> {
  // The JSON of protobuf has 64-bit numbers as text.
  if (format === "json") return jsonBytes({ partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } });
  return joined([bytesField(1, joined([varintField(1, rejectedSpans), bytesField(2, encoder.encode(errorMessage))]))]);
}

/** `google.rpc.Status`, without its code: OTLP clients use the HTTP status. */
export const failureStatus = (format: OtlpFormat, message: string): Uint8Array<ArrayBuffer> =>
  format === "json" ? jsonBytes({ message }) : joined([bytesField(2, encoder.encode(message))]);

const jsonBytes = (value: object): Uint8Array<ArrayBuffer> => joined([encoder.encode(JSON.stringify(value))]);

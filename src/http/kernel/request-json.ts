import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { scanValue } from "../../json/scan.ts";
import { MAX_DEPTH } from "../../json/skip.ts";
import { boundedBody } from "../../net/bounded-body.ts";
import { type RequestFailure, TOO_LARGE } from "./problems.ts";

/** Far above any valid request of these routes. Ingest has its own readers and limit [LIM-40]. */
const MAX_BYTES = 1024 * 1024;

/** Reads and parses the JSON body of a request; undefined: no body. Reading stops at the limit. */
export const readJson = async (request: Request): Promise<Result<unknown, RequestFailure>> => {
  const type = request.headers.get("Content-Type");
  if (type !== null && !isJson(type)) {
    return fail(invalid(["header", "content-type"], "Send the body as application/json", "value_error"));
  }
  if ((request.headers.get("Content-Encoding") ?? "identity") !== "identity") {
    return fail(
      invalid(["header", "content-encoding"], "Send the body uncompressed, without Content-Encoding", "value_error"),
    );
  }
  const bytes = await boundedBody(request, MAX_BYTES);
  if (bytes === null) return fail(invalid(["body"], `The body is longer than ${MAX_BYTES} bytes`, TOO_LARGE));
  if (bytes.length === 0) return ok(undefined);
  const text = decode(bytes);
  // JSON of any depth can be parsed, but too deep JSON cannot be serialized into an event or an answer.
  if (text === null || !scanValue(new TextEncoder().encode(text)).ok) {
    const message = `The body is not valid JSON, or is nested deeper than ${MAX_DEPTH} levels`;
    return fail(invalid(["body"], message, "json_invalid"));
  }
  return ok(JSON.parse(text));
};

const decode = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
};

const isJson = (contentType: string): boolean =>
  /^application\/([\w.-]+\+)?json$/i.test((contentType.split(";")[0] ?? "").trim());

const invalid = (loc: readonly string[], message: string, type: string): RequestFailure => ({
  reason: "invalid",
  loc,
  message,
  type,
});

import type { Fault, Faults } from "../kernel/faults.ts";
import { type Answer, type CustomerBucket, errorAnswer } from "./customer-bucket.ts";
import { decodeRequest, type Operation, type StoreRequest } from "./requests.ts";

/** What the client receives: an answer, correct or not, possibly with a truncated body; a broken connection; or nothing. */
export type Seen =
  | { readonly kind: "answer"; readonly answer: Answer; readonly isSound: boolean; readonly isBodyBroken: boolean }
  | { readonly kind: "reset" }
  | { readonly kind: "silence" };

const ALL: readonly Operation["kind"][] = [
  "put",
  "create_upload",
  "put_part",
  "complete_upload",
  "abort_upload",
  "head",
  "get",
  "remove",
  "list_uploads",
];
const WRITES = ["put", "put_part", "complete_upload"] as const;

/** Faults of the store's answers, and the operations that they can affect. */
const KINDS = {
  internal_error: ALL,
  slow_down: ALL,
  too_many_requests: ALL,
  bad_gateway: ALL,
  access_denied: ALL,
  expired_token: ALL,
  redirect: ALL,
  conflict: WRITES,
  precondition_failed: WRITES,
  reset_before: ALL,
  lost_reply: ALL,
  reset_in_reply: ["create_upload", "complete_upload", "get"],
  never_answers: ALL,
  error_in_200: ["complete_upload"],
  no_etag: ["put", "put_part", "complete_upload", "head"],
  invalid_part: ["complete_upload"],
  no_such_upload: ["put_part", "complete_upload"],
  fake_put: ["put", "complete_upload"],
} as const satisfies Partial<Record<Fault, readonly Operation["kind"][]>>;

type AnswerFault = keyof typeof KINDS;

const BY_OPERATION = new Map(
  ALL.map((kind) => [
    kind,
    (Object.keys(KINDS) as AnswerFault[]).filter((fault) => (KINDS[fault] as readonly string[]).includes(kind)),
  ]),
);

/** Probability that a store executes a request although its answer is missing or an error. */
const ACTS_ANYWAY = 0.5;

/** Sends a request to the bucket, with an injected fault if one occurs. */
export function serve(bucket: CustomerBucket, faults: Faults, request: StoreRequest, dice: () => number): Seen {
  const operation = decodeRequest(request);
  // A store that loses an object and then forbids to read it cannot be detected.
  const isTrap = operation.kind === "head" && bucket.faked.has(operation.key);
  const kinds = (BY_OPERATION.get(operation.kind) ?? []).filter((kind) => !isTrap || kind !== "access_denied");
  const fault = faults.among(kinds);
  const forbidden = forbiddenTo(bucket, operation.kind);
  if (forbidden !== null) {
    faults.count(forbidden);
    bucket.meetsTrouble(operation.key);
  }
  const act = () => bucket.handle(request);
  if (fault === null) return { kind: "answer", answer: act(), isSound: true, isBodyBroken: false };
  bucket.meetsTrouble(operation.key);
  switch (fault) {
    case "internal_error":
      return whole(errorAnswer(500, "InternalError"));
    case "slow_down":
      return whole(errorAnswer(503, "SlowDown"));
    case "too_many_requests":
      return whole(errorAnswer(429, "TooManyRequests"));
    case "bad_gateway":
      return whole({ status: 502, headers: {}, body: "<html><body>Bad Gateway</body></html>" });
    case "access_denied":
      return whole(errorAnswer(403, "AccessDenied"));
    case "expired_token":
      return whole(errorAnswer(400, "ExpiredToken"));
    case "redirect":
      return whole(errorAnswer(307, "TemporaryRedirect"));
    case "conflict":
      return whole(errorAnswer(409, "OperationAborted"));
    case "precondition_failed":
      return whole(errorAnswer(412, "PreconditionFailed"));
    case "reset_before":
      return { kind: "reset" };
    case "lost_reply":
      act();
      return { kind: "reset" };
    case "reset_in_reply":
      return { kind: "answer", answer: act(), isSound: false, isBodyBroken: true };
    case "never_answers":
      if (dice() < ACTS_ANYWAY) act();
      return { kind: "silence" };
    case "error_in_200":
      if (dice() < ACTS_ANYWAY) act();
      return whole({ ...errorAnswer(200, "InternalError"), status: 200 });
    case "no_etag":
      return whole(withoutEtag(act()));
    case "invalid_part":
      bucket.losePart(uploadOf(operation));
      return whole(act());
    case "no_such_upload":
      bucket.forgetUpload(uploadOf(operation));
      return whole(act());
    case "fake_put":
      return whole(faked(bucket, operation, act));
  }
}

function forbiddenTo({ rules }: CustomerBucket, kind: Operation["kind"]): Fault | null {
  if (!rules.mayRead && (kind === "head" || kind === "get")) return "head_forbidden";
  if (!rules.mayAbort && kind === "abort_upload") return "abort_forbidden";
  return !rules.mayDelete && kind === "remove" ? "delete_forbidden" : null;
}

const whole = (answer: Answer): Seen => ({ kind: "answer", answer, isSound: false, isBodyBroken: false });

const uploadOf = (operation: Operation): string => ("uploadId" in operation ? operation.uploadId : "");

function withoutEtag({ status, headers, body }: Answer): Answer {
  const { ETag: _, ...others } = headers;
  return { status, headers: others, body: typeof body === "string" ? body.replace(/<ETag>.*<\/ETag>/, "") : body };
}

/** The answer of a successful write whose object is not stored. */
function faked(bucket: CustomerBucket, operation: Operation, act: () => Answer): Answer {
  const { key } = operation;
  const before = bucket.objects.get(key);
  const answer = act();
  bucket.faked.add(key);
  if (before === undefined) bucket.objects.delete(key);
  else bucket.objects.set(key, before);
  return answer;
}

import type { Refusal } from "../../domain/shared/failures.ts";
import type { Result } from "../../domain/shared/result.ts";
import { authorizationText } from "../kernel/failure-text.ts";
import { problemOf, STATUS } from "../kernel/problems.ts";

/** The page at the end of an authorization. It holds constant texts only, nothing of the request. */
export const callbackPage = (outcome: Result<unknown, Refusal>): Response => {
  const { title, text } = outcome.ok ? CONNECTED : { title: "Not connected", text: textOf(outcome.failure) };
  const status = outcome.ok ? STATUS.ok : problemOf(outcome.failure).status;
  return new Response(pageOf(title, text), { status, headers: HEADERS });
};

const CONNECTED = { title: "Connected", text: "The account is connected. You can close this page." };

const textOf = (failure: Refusal): string =>
  failure.reason === "authorization" ? authorizationText(failure.failure) : "The authorization failed. Start again.";

/** The address of this page contains a code: no scripts, frames, caching or referrer. */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

const pageOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body>
</html>
`;

import { isFindable, search } from "./leaks.ts";

/** Answers that return a secret to its owner, and its member in the answer. The rest of these answers is searched. */
const SHOWN: readonly (readonly [method: string, path: RegExp, member: string])[] = [
  // A new API key.
  ["POST", /^\/admin\/workspaces\/[^/]+\/keys$/, "api_key"],
  // A token of the caller.
  ["POST", /^\/v2\/auth\/authenticate$/, "token"],
  ["GET", /^\/v2\/auth\/wait\/[^/]+$/, "token"],
  // The environment of an agent server, for the listener that starts it.
  ["POST", /^\/v2\/listeners\/[^/]+\/poll$/, "env"],
];

/** Members of requests that hold a secret: members for secrets, and secrets of a deployment with such a name. */
const GIVEN =
  /"(?:(secret_access_key|session_token|password|client_secret)"|name":"(\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w*)","value"):"([^"]+)"/g;

export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/** Searches an answer of the product, including its headers. */
export const searchAnswer = ({ method, path }: Exchange, headers: Headers, text: string): void => {
  const where = `the answer to ${method} ${path.split("?")[0]}`;
  search(JSON.stringify([...headers]), `${where}, in a header`);
  const shown = SHOWN.find(([its, paths]) => its === method && paths.test(path.split("?")[0] ?? ""));
  search(shown === undefined ? text : without(text, shown[2]), where);
};

/** Throws if a request body, written by JSON.stringify, contains a secret that the searches would not find. */
export const assertFindable = (body: string): void => {
  for (const [, member, name, secret = ""] of body.matchAll(GIVEN)) {
    if (isFindable(secret)) continue;
    throw new Error(`the secret ${member ?? name} does not hold the mark of test/support/secrets/mark.ts`);
  }
};

const without = (text: string, member: string): string => {
  try {
    return JSON.stringify(JSON.parse(text, (name, value) => (name === member ? undefined : value)));
  } catch {
    return text;
  }
};

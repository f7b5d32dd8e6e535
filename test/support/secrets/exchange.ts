import { isFindable, search } from "./leaks.ts";

/** Answers that show a secret to whom it belongs, and its member there. Everything else in them is searched. */
const SHOWN: readonly (readonly [method: string, path: RegExp, member: string])[] = [
  // A new key, this once.
  ["POST", /^\/admin\/workspaces\/[^/]+\/keys$/, "api_key"],
  // A token, to its own user.
  ["POST", /^\/v2\/auth\/authenticate$/, "token"],
  ["GET", /^\/v2\/auth\/wait\/[^/]+$/, "token"],
  // What an agent server needs, to the listener that starts it.
  ["POST", /^\/v2\/listeners\/[^/]+\/poll$/, "env"],
];

/** Where requests hold a secret: members made for it, and secrets of a deployment whose names say so. */
const GIVEN =
  /"(?:(secret_access_key|session_token|password|client_secret)"|name":"(\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w*)","value"):"([^"]+)"/g;

export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/** Searches an answer of the product, its headers too. */
export const searchAnswer = ({ method, path }: Exchange, headers: Headers, text: string): void => {
  const where = `the answer to ${method} ${path.split("?")[0]}`;
  search(JSON.stringify([...headers]), `${where}, in a header`);
  const shown = SHOWN.find(([its, paths]) => its === method && paths.test(path.split("?")[0] ?? ""));
  search(shown === undefined ? text : without(text, shown[2]), where);
};

/** Throws when the body of a request, as JSON.stringify writes it, holds a secret that the searches would not find. */
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

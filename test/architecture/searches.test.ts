import { expect, it } from "vitest";
import { filesBelow, textOf } from "./source-files.ts";

/** Requests that would bypass the searches for secrets in test/support/secrets. */

const users = (folders: readonly string[], way: RegExp): readonly string[] =>
  folders.flatMap((folder) => filesBelow(`test/${folder}`)).filter((file) => way.test(textOf(file)));

it("the Worker is called in one place only, which searches its responses for secrets", () => {
  expect(users(["http", "durable"], /exports\.default\.fetch|src\/http\/app\.ts/)).toEqual(["test/http/client.ts"]);
});

it("a service is called only by fetch, whose responses are searched", () => {
  const folders = ["system"];
  expect(users(folders, /import \{[^}]*\brequest\b[^}]*\} from "(?:node:https?|undici)"/)).toEqual([]);
});

import { expect, it } from "vitest";
import { filesBelow, textOf } from "./source-files.ts";

/** The files that may know that a deployment names a listener; all others ask its data plane. */
const KNOWS_LISTENERS = [
  // the definition
  "src/domain/deployment/records.ts",
  // the remote data plane, and its messages to listeners
  "durable/deployment/data-plane/remote/lease-work.ts",
  "durable/deployment/data-plane/remote/remote-plane.ts",
  "durable/protocol/listener.ts",
  "src/domain/deployment/lease.ts",
  "src/domain/deployment/remote-plane.ts",
  // the wire
  "src/http/deployments/event-schema.ts",
  "src/http/deployments/routes.ts",
  "src/http/deployments/schemas.ts",
];

const PLANES = ["edge", "remote"];

const files = [...filesBelow("src"), ...filesBelow("durable")];

it("only the definition, the remote data plane and the wire know the listener of a deployment", () => {
  const knowing = files.filter((file) => /\blistenerId\b/.test(textOf(file)));
  expect(knowing.sort()).toEqual([...KNOWS_LISTENERS].sort());
});

it("only the two tables of data planes import one, so that another one touches no other file", () => {
  const rules = PLANES.map((name) => `./${name}-plane.ts`);
  const port = PLANES.map((name) => `./data-plane/${name}/${name}-plane.ts`);
  const importing = files.filter((file) => [...rules, ...port].some((path) => textOf(file).includes(`from "${path}"`)));
  expect(importing.sort()).toEqual(["durable/deployment/planes.ts", "src/domain/deployment/planes.ts"]);
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { search } from "../../support/secrets/leaks.ts";

it("npm run demo:deploy replaces an agent server under load without a failed request, and traces each turn", async () => {
  // A failure ends the demo with another exit code than 0, which rejects.
  const { stdout } = await promisify(execFile)(process.execPath, ["dev/demo-deploy.mjs"]);
  search(stdout, "what it prints");
  expect(stdout).toMatch(/ QUEUED > AWAITING_BUILD > BUILDING > AWAITING_DEPLOY > DEPLOYING > DEPLOYED /);
  expect(stdout).toMatch(/ AWAITING_DEPLOY > DEPLOYING > DEPLOY_FAILED /);
  expect(stdout).toMatch(/ QUEUED > AWAITING_DEPLOY > DEPLOYING > DEPLOYED /);
  expect(stdout).toContain("the prompt of the agent is missing");
  expect(stdout).toContain('Revision 2 continued to serve: "Welcome, world!"; after the rollback: "Hello, world!"');
  const counted = /^(\d+) requests during the demo, 0 failed/m.exec(stdout);
  expect(Number(counted?.[1])).toBeGreaterThan(0);
  const counts = /^(\d+) turns answered, (\d+) runs in the tracing project/m.exec(stdout);
  expect(counts?.[2]).toBe(counts?.[1]);
});

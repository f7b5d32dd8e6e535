import { describe, expect, it } from "vitest";
import type { DestinationCommand, DestinationOrder } from "../../../src/domain/destination/commands.ts";
import { findDestination } from "../../../src/domain/destination/decide.ts";
import type { DestinationEvent } from "../../../src/domain/destination/events.ts";
import { destination } from "../../../src/domain/destination/index.ts";
import { specification } from "../../support/given.ts";
import { check, config, NOW } from "../../support/samples.ts";

const { given } = specification(destination);

const OWN = { id: "d", tenantId: "t" };
const OTHER = { id: "d", tenantId: "other" };
const commandOf = (order: DestinationOrder, by = OWN): DestinationCommand => ({ ...order, ...by, now: NOW });
const order = { displayName: "bucket", config, envelope: "sealed", keys: ["access_key_id"], check };
const create = (change: Partial<typeof order> = {}, by = OWN) =>
  commandOf({ type: "CreateDestination", ...order, ...change }, by);
const created: DestinationEvent = {
  type: "DestinationCreated",
  ...OWN,
  displayName: "bucket",
  config,
  credentials: { version: 1, envelope: "sealed", keys: ["access_key_id"] },
  check,
  at: NOW,
};
const deleted: DestinationEvent = { type: "DestinationDeleted", at: NOW };
const unknown = { reason: "not_found", what: "destination", id: "d" } as const;

describe("a destination", () => {
  it("is created once: the same name and config repeat it, also with other credentials", () => {
    given().when(create()).then(created);
    given(created)
      .when(create({ envelope: "other" }))
      .thenNothing();
    const renamed: DestinationEvent = { type: "DestinationRenamed", displayName: "new", at: NOW };
    given(created, renamed).when(create()).thenNothing();
  });

  it("is not created under the key of another request, of another workspace or of a deleted one", () => {
    given(created)
      .when(create({ displayName: "other" }))
      .thenRefused({ reason: "invalid", loc: ["header", "idempotency-key"] });
    given(created).when(create({}, OTHER)).thenRefused({ reason: "conflict" });
    given(created, deleted).when(create()).thenRefused({ reason: "conflict" });
  });

  it("has the credentials that were sent last, each with its own number", () => {
    const rotate = commandOf({ type: "RotateCredentials", envelope: "new", keys: [], check });
    const credentials = { version: 2, envelope: "new", keys: [] };
    given(created).when(rotate).then({ type: "CredentialsRotated", credentials, check, at: NOW });
  });

  it("is renamed, and a repeated name changes nothing", () => {
    const rename = (displayName: string) => commandOf({ type: "RenameDestination", displayName });
    given(created).when(rename("new")).then({ type: "DestinationRenamed", displayName: "new", at: NOW });
    given(created).when(rename("bucket")).thenNothing();
  });

  it("loses its credentials when it is deleted, and is unknown afterwards", () => {
    const gone = given(created)
      .when(commandOf({ type: "DeleteDestination" }))
      .then(deleted)
      .thenWakesAt(null);
    expect(gone.state).toMatchObject({ status: "DELETED", credentials: { envelope: null } });
    given(created, deleted)
      .when(commandOf({ type: "DeleteDestination" }))
      .thenRefused(unknown);
    expect(findDestination(gone.state, OWN)).toEqual({ ok: false, failure: unknown });
  });

  it.each<DestinationOrder>([
    { type: "RotateCredentials", envelope: "new", keys: [], check },
    { type: "RenameDestination", displayName: "new" },
    { type: "DeleteDestination" },
  ])("does not exist for another workspace: $type", (one) => {
    given(created).when(commandOf(one, OTHER)).thenRefused(unknown);
    given().when(commandOf(one)).thenRefused(unknown);
  });
});

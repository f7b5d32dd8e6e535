import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_EVENT_BYTES } from "../../../durable/journal/event-log.ts";
import { type EventSourcing, Journal } from "../../../durable/journal/journal.ts";
import { migrate } from "../../../durable/journal/schema.ts";
import type { Decider } from "../../../src/domain/shared/decider.ts";
import { fail, ok } from "../../../src/domain/shared/result.ts";
import { NOW } from "../../support/samples.ts";

/** A counter that sends each even number it reaches to a neighbour. */
type Counted = { readonly type: "Counted"; readonly note: string };
type Count = { readonly note: string; readonly times: number; readonly now: number };

const NAMELESS = { reason: "conflict", message: "A count has a note." } as const;

const counter: Decider<number, Count, Counted> = {
  initialState: 0,
  decide: ({ note, times }) =>
    note === "" ? fail(NAMELESS) : ok(Array.from({ length: times }, () => ({ type: "Counted", note }))),
  evolve: (count) => count + 1,
  wakeAt: (count) => (count === 0 ? null : NOW + count),
};

const script: EventSourcing<number, Count, Counted, string> = {
  decider: counter,
  announce: (_event, after, seq) => (after % 2 === 0 ? [`${after}@${seq}`] : []),
  partitionKey: (message) => (message.startsWith("2") ? "first" : "other"),
  supersedes: () => false,
  upcast: (event) => ({ note: "", ...event, type: "Counted" }),
};

const withStorage = <R>(name: string, work: (storage: DurableObjectStorage) => R | Promise<R>): Promise<R> =>
  runInDurableObject(env.EXPORT.getByName(`test/journal/${name}`), (_actor, state) => work(state.storage));

describe("a journal", () => {
  it("folds its log on start", async () => {
    await withStorage("fold", (storage) => {
      new Journal(storage, script).submit({ note: "a", times: 3, now: NOW });
      expect(new Journal(storage, script).state).toBe(3);
    });
  });

  it("of an actor that was only read leaves nothing on disk", async () => {
    await withStorage("asked", async (storage) => {
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 0, now: NOW });
      journal.settle(NOW);
      expect(await journal.flush(async () => {})).toBe(true);
      expect([...journal.events()]).toEqual([]);
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()).toEqual([]);
    });
  });

  it("appends nothing for a command without events", async () => {
    await withStorage("nothing", (storage) => {
      const journal = new Journal(storage, script);
      expect(journal.submit({ note: "a", times: 0, now: NOW })).toEqual(ok([]));
      expect([...journal.events()]).toEqual([]);
    });
  });

  it("answers a refused command with the refusal and appends nothing", async () => {
    await withStorage("refused", async (storage) => {
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 1, now: NOW });
      const refused = { note: "", times: 1, now: NOW + 5 };
      expect([journal.submit(refused), journal.submitAndAct(refused)]).toEqual([fail(NAMELESS), fail(NAMELESS)]);
      expect([journal.state, [...journal.events()].length]).toEqual([1, 1]);
      expect(await storage.getAlarm()).toBe(NOW + 1);
    });
  });

  it("keeps all events of a command or none: one over 256 KB undoes them and the alarm", async () => {
    await withStorage("too-large", async (storage) => {
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 1, now: NOW });
      expect(() => journal.submit({ note: "é".repeat(MAX_EVENT_BYTES / 2), times: 2, now: NOW })).toThrow(
        /over 262144/,
      );
      expect(journal.state).toBe(1);
      expect(new Journal(storage, script).state).toBe(1);
      expect(await storage.getAlarm()).toBe(NOW + 1);
    });
  });

  it("sets the one alarm to what the state needs, immediately when a message waits", async () => {
    await withStorage("alarm", async (storage) => {
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 1, now: NOW });
      expect(await storage.getAlarm()).toBe(NOW + 1);
      journal.submit({ note: "a", times: 1, now: NOW });
      expect(await storage.getAlarm()).toBe(NOW);
      await journal.flush(async () => {});
      journal.settle(NOW);
      expect(await storage.getAlarm()).toBe(NOW + 2);
    });
  });

  it("delivers messages at least once, in order: a failed one stays, with later ones to the same receiver", async () => {
    await withStorage("outbox", async (storage) => {
      new Journal(storage, script).submit({ note: "a", times: 22, now: NOW });
      const journal = new Journal(storage, script);
      const received: string[] = [];
      const first = await journal.flush(async (message) => {
        if (message === "2@2") throw new Error("out of reach");
        received.push(message);
      });
      expect(first).toBe(false);
      expect(received).toEqual(["4@4", "6@6", "8@8", "10@10", "12@12", "14@14", "16@16", "18@18"]);
      journal.settle(NOW + 10);
      expect(await storage.getAlarm()).toBe(NOW + 10);
      const second = await journal.flush(async (message) => {
        received.push(message);
      });
      expect(second).toBe(true);
      expect(received.slice(8)).toEqual(["2@2", "20@20", "22@22"]);
    });
  });

  it("also delivers messages that become due during delivery, without waiting for the next alarm", async () => {
    await withStorage("meanwhile", async (storage) => {
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 2, now: NOW });
      const received: string[] = [];
      const isEmpty = await journal.flush(async (message) => {
        received.push(message);
        if (message === "2@2") journal.submit({ note: "a", times: 2, now: NOW });
      });
      journal.settle(NOW + 10_000);
      expect(isEmpty).toBe(true);
      expect(received).toEqual(["2@2", "4@4"]);
      expect(await storage.getAlarm()).toBe(NOW + 4);
    });
  });

  it("sends only the last of several superseding messages to each receiver", async () => {
    await withStorage("replaced", async (storage) => {
      const journal = new Journal(storage, { ...script, supersedes: (message) => message !== "6@6" });
      journal.submit({ note: "a", times: 22, now: NOW });
      const received: string[] = [];
      const isEmpty = await journal.flush(async (message) => {
        received.push(message);
      });
      expect(isEmpty).toBe(true);
      expect(received.toSorted()).toEqual(["18@18", "22@22", "6@6"]);
    });
  });

  it("keeps an alarm that is already due, and moves one that is not due or that was set for recovery", async () => {
    await withStorage("due", async (storage) => {
      const at = NOW + 100;
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 1, now: at });
      journal.submit({ note: "a", times: 4, now: at });
      expect(await storage.getAlarm()).toBe(NOW + 1);
      journal.armRecovery(at + 1);
      expect(await storage.getAlarm()).toBe(at + 1);
      journal.submit({ note: "a", times: 1, now: at });
      expect(await storage.getAlarm()).toBe(NOW + 6);
    });
  });

  it("of an actor that acts immediately sets a later alarm for recovery, and moves no earlier one", async () => {
    await withStorage("acting", async (storage) => {
      const journal = new Journal(storage, script);
      expect(journal.isDue(NOW)).toBe(false);
      journal.submitAndAct({ note: "a", times: 2, now: NOW });
      const recoveryAt = await storage.getAlarm();
      expect(recoveryAt).toBeGreaterThan(NOW + 2);
      expect(journal.isDue(NOW)).toBe(true);
      await journal.flush(async () => {});
      expect(journal.isDue(NOW)).toBe(false);
      journal.leave(NOW, NOW);
      expect(await storage.getAlarm()).toBe(NOW + 2);
      journal.submitAndAct({ note: "a", times: 1, now: NOW + 1 });
      expect(await storage.getAlarm()).toBe(NOW + 2);
      expect(await new Journal(storage, script).flush(async () => {})).toBe(true);
    });
  });

  it("returns its events in pages that fit into a message, with the position of the next page", async () => {
    await withStorage("pages", (storage) => {
      const journal = new Journal(storage, script);
      for (let n = 0; n < 24; n += 1) journal.submit({ note: "x".repeat(200_000), times: 1, now: NOW });
      const first = journal.page({ after: 0, limit: 1000 }, false);
      expect(first.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
      expect([first.nextAfter, first.isOver]).toEqual([21, false]);
      const rest = journal.page({ after: 21, limit: 3 }, true);
      expect(rest.events.map(({ seq }) => seq)).toEqual([22, 23, 24]);
      expect([rest.nextAfter, rest.isOver]).toEqual([null, true]);
      expect(journal.page({ after: 0, limit: 2 }, true)).toMatchObject({ nextAfter: 2 });
    });
  });

  it("returns the state right after an event or at an instant, as a prefix of the log even where a clock went back", async () => {
    await withStorage("moments", (storage) => {
      const journal = new Journal(storage, script);
      for (const at of [NOW, NOW + 20, NOW + 10, NOW + 30]) journal.submit({ note: "a", times: 1, now: at });
      const asOfEvent = [0, 1, 4, 5].map((seq) => journal.stateAsOf({ kind: "event", seq }));
      expect(asOfEvent).toEqual([0, 1, 4, null]);
      const asOfInstant = [-1, 0, 15, 20, 30, 99].map((ms) => journal.stateAsOf({ kind: "instant", at: NOW + ms }));
      expect(asOfInstant).toEqual([0, 1, 1, 3, 4, 4]);
      expect(journal.state).toBe(4);
    });
  });

  it("upcasts events of an older version when it reads them", async () => {
    await withStorage("upcast", (storage) => {
      migrate(storage);
      storage.sql.exec("INSERT INTO event (seq, at, type, body) VALUES (1, 0, 'Counted', ?)", '{"type":"Counted"}');
      const journal = new Journal(storage, script);
      expect([...journal.events()]).toEqual([{ seq: 1, at: 0, event: { type: "Counted", note: "" } }]);
      expect(journal.state).toBe(1);
    });
  });

  it("returns the events after a position in the log", async () => {
    await withStorage("since", (storage) => {
      const journal = new Journal(storage, script);
      journal.submit({ note: "a", times: 3, now: NOW });
      expect([...journal.events(2)].map((one) => one.seq)).toEqual([3]);
    });
  });
});

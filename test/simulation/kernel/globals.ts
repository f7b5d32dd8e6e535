import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto";
import type { PlannedEvent } from "./event-queue.ts";
import type { Kernel } from "./kernel.ts";

/** The simulated environment of the product: time, timers, random numbers, the network and the log. */
export interface Surroundings {
  readonly kernel: Kernel;
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  readonly onLogLine: (line: string) => void;
}

const RealDate = Date;
let present: Surroundings | null = null;

/** Activates the simulated environment until `leave`. */
export function enter(surroundings: Surroundings): void {
  present = surroundings;
  (globalThis as { newIsolate?: () => void }).newIsolate?.(); // planted by edits.ts
}

export function leave(): void {
  present = null;
}

const kernel = (): Kernel => {
  if (present === null) throw new Error("the product ran outside of the simulation");
  return present.kernel;
};

class SimulatedDate extends RealDate {
  constructor(...parameters: unknown[]) {
    if (parameters.length === 0) super(SimulatedDate.now());
    else super(...(parameters as [number])); // any parameters of Date
  }

  static override now(): number {
    return present === null ? RealDate.now() : Math.floor(present.kernel.now);
  }
}

/** A timer is cancelled when its incarnation ends. */
const simulatedTimeout = (act: () => void, delayMs: number): PlannedEvent =>
  kernel().plan(delayMs, "timer", act, kernel().speaking);

function cancelTimeout(timer: PlannedEvent | undefined): void {
  if (timer !== undefined) timer.isCancelled = true;
}

/** `next`: the currently planned event. */
interface Interval {
  next: PlannedEvent;
}

function simulatedInterval(act: () => void, everyMs: number): Interval {
  const again = () => {
    interval.next = simulatedTimeout(again, everyMs);
    act();
  };
  const interval = { next: simulatedTimeout(again, everyMs) };
  return interval;
}

const cancelInterval = ({ next }: Interval): void => cancelTimeout(next);

/** Synchronous implementations with node:crypto: Web Crypto uses threads, so its timing is not deterministic. */
const subtle = {
  digest: async (_name: string, data: Uint8Array) => exact(createHash("sha256").update(data).digest()),
  importKey: async (_format: string, key: Uint8Array) => key,
  sign: async (_name: string, key: Uint8Array, data: Uint8Array) =>
    exact(createHmac("sha256", key).update(data).digest()),
  encrypt: async ({ iv, additionalData }: AesGcmParams, key: Uint8Array, plain: Uint8Array) => {
    const cipher = createCipheriv("aes-256-gcm", key, iv as Uint8Array).setAAD(additionalData as Uint8Array);
    return exact(Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
  },
  decrypt: async ({ iv, additionalData }: AesGcmParams, key: Uint8Array, sealed: Uint8Array) => {
    const decipher = createDecipheriv("aes-256-gcm", key, iv as Uint8Array).setAAD(additionalData as Uint8Array);
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    return exact(Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]));
  },
};

const TAG_BYTES = 16;

interface AesGcmParams {
  readonly iv: unknown;
  readonly additionalData: unknown;
}

const exact = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

const replacements = {
  Date: SimulatedDate,
  setTimeout: simulatedTimeout,
  clearTimeout: cancelTimeout,
  setInterval: simulatedInterval,
  clearInterval: cancelInterval,
  crypto: {
    subtle,
    getRandomValues: <T extends Uint8Array>(bytes: T): T => kernel().random.fill(bytes),
    randomUUID: () => kernel().random.uuid(),
  },
  fetch: (input: string, init: RequestInit) => {
    if (present === null) throw new Error("the product ran outside of the simulation");
    return present.fetch(input, init);
  },
};

for (const [name, value] of Object.entries(replacements))
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
Math.random = () => kernel().random.fraction();

const print = console.log.bind(console);
console.log = (...parts: unknown[]) => (present === null ? print(...parts) : present.onLogLine(parts.join(" ")));

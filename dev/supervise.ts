import { DevFailure } from "./failure.ts";

/** A service that is started again when it ends unexpectedly. */
export interface Supervised {
  /** Resolves when it has ended, by `stop` or unexpectedly. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface Supervision<Service extends Supervised> {
  start(): Promise<Service>;
  /** Aborted when a stop is requested. */
  readonly stopRequested: AbortSignal;
  /** `ends`: how often the service has ended in a row. */
  started(service: Service, ends: number): void;
  endedUnexpectedly(service: Service, ends: number): void;
}

/** Ends in a row after which the service is not started again. */
export const MAX_ENDS = 5;
/** A run of this length resets the count of ends in a row. */
const STEADY_MS = 60_000;
/** Pause before the restart after the second end in a row; it doubles with each further end. */
const PAUSE_MS = 1000;

/**
 * Runs a service until a stop is requested, and starts it again when it ends unexpectedly. Throws what `start` throws,
 * and a DevFailure when the service ends MAX_ENDS times in a row.
 */
export const supervise = async <Service extends Supervised>(on: Supervision<Service>): Promise<void> => {
  const stopped = new Promise<null>((resolve) => on.stopRequested.addEventListener("abort", () => resolve(null)));
  for (let ends = 0; !on.stopRequested.aborted; ) {
    const starting = on.start();
    const service = await Promise.race([stopped, starting]);
    if (service === null) return starting.then((late) => late.stop()).catch(() => {}); // what did not start has ended
    const startedAt = Date.now();
    on.started(service, ends);
    await Promise.race([stopped, service.ended]);
    await service.stop();
    if (on.stopRequested.aborted) return;
    ends = Date.now() - startedAt < STEADY_MS ? ends + 1 : 1;
    on.endedUnexpectedly(service, ends);
    if (ends === MAX_ENDS) throw new DevFailure(`The service ended ${ends} times in a row. It is not started again.`);
    if (ends > 1) await pause(PAUSE_MS * 2 ** (ends - 2), stopped);
  }
};

const pause = async (ms: number, stopped: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([stopped, over]);
  clearTimeout(timer);
};

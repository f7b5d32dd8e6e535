import { createHash } from "node:crypto";
import type { Incarnation } from "./actor.ts";
import type { Platform } from "./platform.ts";

/** Usual and maximum delay of one direction of an operation, in ms. */
const USUAL_MS = 10;
const MAX_MS = 20_000;

interface Stored {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

interface GetOptions {
  readonly range?: { readonly offset: number; readonly length: number };
  readonly onlyIf?: { readonly etagMatches: string };
}

/** Waybill's own R2 bucket, SEGMENTS. */
export class SegmentBucket {
  readonly #platform: Platform;
  readonly objects = new Map<string, Stored>();
  /** Keys whose last write came from an incarnation that had ended. */
  readonly orphans = new Set<string>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The binding of a caller. */
  seenBy(caller: Incarnation | null) {
    const request = <T>(what: string, act: () => T): Promise<T> => this.#request(caller, what, act);
    return {
      put: (key: string, value: string | Uint8Array) => {
        const bytes = typeof value === "string" ? new TextEncoder().encode(value) : Uint8Array.from(value);
        this.#platform.watch.onText(Buffer.from(bytes).toString("latin1"), `the segment ${key}`);
        return request(`put ${key}`, () => {
          if (caller?.isAlive === false) this.orphans.add(key);
          else this.orphans.delete(key);
          return this.#put(key, bytes);
        });
      },
      get: (key: string, options: GetOptions = {}) => request(`get ${key}`, () => this.#get(key, options)),
      list: ({ prefix }: { readonly prefix: string }) =>
        request(`list ${prefix}`, () => ({
          objects: [...this.objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key })),
        })),
      head: (key: string) => request(`head ${key}`, () => this.#get(key, {})),
      delete: (keys: string | readonly string[]) =>
        request(`delete ${[keys].flat().join(" ")}`, () => {
          for (const key of [keys].flat()) this.objects.delete(key);
        }),
    };
  }

  #put(key: string, bytes: Uint8Array): { readonly key: string; readonly etag: string } {
    const etag = createHash("md5").update(bytes).digest("hex");
    this.objects.set(key, { bytes, etag });
    return { key, etag };
  }

  #get(key: string, { range, onlyIf }: GetOptions) {
    const stored = this.objects.get(key);
    if (stored === undefined) return null;
    const { etag, bytes: whole } = stored;
    if (onlyIf !== undefined && onlyIf.etagMatches !== etag) return { key, etag, size: whole.length };
    const bytes = range === undefined ? whole : whole.subarray(range.offset, range.offset + range.length);
    return {
      key,
      etag,
      size: whole.length,
      body: null,
      arrayBuffer: async () => Uint8Array.from(bytes).buffer,
      json: async () => JSON.parse(new TextDecoder().decode(bytes)),
    };
  }

  #request<T>(caller: Incarnation | null, what: string, act: () => T): Promise<T> {
    const { kernel, faults } = this.#platform;
    const delay = () => kernel.random.fraction() * (faults.occurs("segments_slow") ? MAX_MS : USUAL_MS);
    return new Promise((resolve, reject) => {
      if (caller !== null) caller.waitsFor += 1;
      const settle = (label: string, tell: () => void) =>
        kernel.plan(
          delay(),
          `${label} R2 ${what}`,
          () => {
            if (caller !== null) caller.waitsFor -= 1;
            tell();
          },
          caller,
        );
      const leave = () =>
        kernel.plan(delay(), `R2 ${what}`, () => {
          const isRefused = faults.occurs("segments_refused");
          const result = isRefused ? null : { value: act() };
          if (result === null || faults.occurs("segments_answer_lost"))
            settle("failed", () => reject(new Error("internal error; retry")));
          else settle("answer", () => resolve(result.value));
        });
      if (caller === null) leave();
      else caller.send(leave);
    });
  }
}

import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../limits.ts";

/** "" at the top, then each name after a dot; or one of two constants for values without such a place. */
type Place = string;

const TOP: Place = "";
const OUTSIDE: Place = "outside";
const TOO_LONG: Place = "too long";

/** An open object or list. */
interface Container {
  readonly isObject: boolean;
  readonly place: Place;
}

/**
 * Tracks the position of a scan over JSON. It is given each bracket, comma and name, and knows the key of the next
 * value.
 */
export class Places {
  readonly #member: string | null;
  readonly #containers: Container[] = [];
  /** Of the next value, once its name has been read. */
  #place: Place;
  #isAtName = false;

  /** If not null, only values inside members of this name are entries. */
  constructor(member: string | null) {
    this.#member = member;
    this.#place = member === null ? TOP : OUTSIDE;
  }

  /** Whether the next token is a name, not a value. */
  get isAtName(): boolean {
    return this.#isAtName;
  }

  /** Whether the next value, unless it is an object or list, is an entry. */
  get isSeen(): boolean {
    return this.#place !== OUTSIDE && this.#levels <= MAX_JSON_LEVELS;
  }

  /** Key of the next value; null: it has none that a filter can name. */
  get key(): string | null {
    return this.#place.startsWith(".") ? this.#place.slice(1) : null;
  }

  enter(isObject: boolean): void {
    this.#containers.push({ isObject, place: this.#place });
    this.#isAtName = isObject;
  }

  leave(): void {
    this.#containers.pop();
    this.#isAtName = false;
  }

  next(): void {
    const container = this.#containers.at(-1);
    this.#isAtName = container?.isObject ?? false;
    // In an object the name determines the place; in a list it is that of the list.
    if (!this.#isAtName) this.#place = container?.place ?? OUTSIDE;
  }

  name(read: () => string): void {
    this.#isAtName = false;
    this.#place = this.#placeUnder(this.#containers.at(-1)?.place ?? OUTSIDE, read);
  }

  #placeUnder(outer: Place, read: () => string): Place {
    if (this.#member !== null && this.#containers.length === 1) return read() === this.#member ? TOP : OUTSIDE;
    if (outer === OUTSIDE || outer === TOO_LONG) return outer;
    if (this.#levels > MAX_JSON_LEVELS) return OUTSIDE;
    const place = `${outer}.${read()}`;
    return place.length > MAX_KEY_LENGTH + 1 ? TOO_LONG : place;
  }

  /** Number of open objects and lists, without those that contain `member`. */
  get #levels(): number {
    return this.#containers.length - (this.#member === null ? 0 : 1);
  }
}

/**
 * Whether `whole` contains `part`, as in PostgreSQL's `@>`: an object contains the members of the other, a list contains
 * each item of the other, and other values are equal.
 */
export function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item) => whole.some((one) => contains(one, item)));
  if (!isObject(part)) return whole === part;
  return isObject(whole) && Object.entries(part).every(([name, value]) => contains(own(whole, name), value));
}

type Members = Readonly<Record<string, unknown>>;

const own = (object: Members, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One line of JSON for the operator. Ids, counters and outcomes only: never credentials, never contents of runs. */
export function log(event: string, facts: Readonly<Record<string, string | number | boolean | null>>): void {
  console.log(JSON.stringify({ event, ...facts }));
}

/** Logs one line of JSON for the operator. Facts are ids, counters and outcomes, never credentials or contents of runs. */
export function log(event: string, facts: Readonly<Record<string, string | number | boolean | null>>): void {
  console.log(JSON.stringify({ event, ...facts }));
}

/** One parameter with the semicolon before it. Sticky, so that parsing is linear in the length of any line. */
const PARAMETER = /\s*;\s*([^=;\s"]*)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/y;

/**
 * The parameters of a header field by their names in lower case (RFC 9110, 5.6.6), as in `form-data; name="a"`. Of two
 * parameters with one name the first counts. Parsing stops at text that is not a parameter.
 */
export function headerParameters(field: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const begin = field.indexOf(";");
  if (begin < 0) return parameters;
  PARAMETER.lastIndex = begin;
  for (let match = PARAMETER.exec(field); match !== null; match = PARAMETER.exec(field)) {
    const [, name = "", quoted, token = ""] = match;
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, "$1") ?? token);
  }
  return parameters;
}

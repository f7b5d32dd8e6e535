/** One parameter with the semicolon before it; sticky, so that a line is walked over once, however it is made. */
const PARAMETER = /\s*;\s*([^=;\s"]*)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/y;

/**
 * The parameters of a header field by their names in lower case (RFC 9110, 5.6.6), as in `form-data; name="a"`; of two
 * with one name the first counts. What is none ends them.
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

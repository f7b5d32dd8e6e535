// Plain JavaScript: it must run on any Node version, before `npm install` has installed the project's own.

/** First major version of Node that runs TypeScript files without flags and supports zstandard. */
const MIN_NODE = 24;

/**
 * An error text of one line if Waybill's tools cannot run here; null: they can.
 *
 * @param {{ readonly nodeVersion: string, readonly isInstalled: boolean }} here `nodeVersion` as `20.20.2`
 * @returns {string | null}
 */
export const missingIn = ({ nodeVersion, isInstalled }) => {
  if (!isInstalled) {
    return `The project's packages, its own Node ${MIN_NODE} among them, are not installed. Run \`npm install\` first.`;
  }
  if (Number(nodeVersion.split(".")[0]) >= MIN_NODE) return null;
  return `Waybill needs Node ${MIN_NODE}, and this is Node ${nodeVersion}: run \`npm run <script>\` or \`npm test -- <file>\`, which bring their own.`;
};

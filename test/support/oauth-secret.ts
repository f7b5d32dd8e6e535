import { MARK } from "./secrets/mark.ts";

/** Client secret of all confidential clients of the tests' authorization server. */
export const CLIENT_SECRET = `${MARK}-of-the-client-~+/=&%`;

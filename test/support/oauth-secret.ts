import { MARK } from "./secrets/mark.ts";

/** What the tests' authorization server and its clients share. */
export const CLIENT_SECRET = `${MARK}-of-the-client-~+/=&%`;

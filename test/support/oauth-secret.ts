/** What the tests' authorization server and its clients share. */
export const CLIENT_SECRET = "the-secret-of-the-client-~+/=&%";

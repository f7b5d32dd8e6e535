import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type SinkAnswer, type SinkRequest, startSinkS3 } from "./sink-s3.ts";

/** A store that answers as the first folder of the key says, and servers that are silent, slow or empty. */

/** The only region that requests below `elsewhere/` may be signed for. */
export const STORE_REGION = "eu-west-9";

const error = (status: number, code: string, rest = ""): SinkAnswer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>Said by the test.</Message>${rest}</Error>`,
});

const regionOf = ({ headers }: SinkRequest): string =>
  /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? "")?.[1] ?? "";

const ANSWERS: Readonly<Record<string, (request: SinkRequest) => SinkAnswer | null>> = {
  busy: () => error(503, "SlowDown"),
  broken: () => error(500, "InternalError"),
  full: () => error(507, "XMinioStorageFull"),
  strange: () => error(409, "StoreOfAnotherKind"),
  classless: () => error(400, "InvalidStorageClass"),
  elsewhere: (request) =>
    regionOf(request) === STORE_REGION
      ? null
      : error(400, "AuthorizationHeaderMalformed", `<Region>${STORE_REGION}</Region>`),
  nowhere: () => error(400, "AuthorizationHeaderMalformed", "<Region>us-west-0</Region>"),
  /** The key pair may only write. */
  writable: ({ method, query }) =>
    method === "PUT" || (method === "POST" && query.has("uploads")) ? null : error(403, "AccessDenied"),
};

/** An access key whose writes take long. */
export const SLOW_KEY = "AKIASLOW";
const SLOW_MS = 600;

const isSlow = ({ method, headers }: SinkRequest): boolean =>
  method === "PUT" && (headers.authorization ?? "").includes(SLOW_KEY);

export const startDifficultStore = (bucketName: string) =>
  startSinkS3({
    bucketName,
    hook: async (request) => {
      if (isSlow(request)) await new Promise((resume) => setTimeout(resume, SLOW_MS));
      return ANSWERS[(request.key || request.query.get("prefix") || "").split("/")[0] ?? ""]?.(request) ?? null;
    },
  });

interface PlainServer {
  readonly endpointUrl: string;
  stop(): Promise<void>;
}

/** A server that accepts connections and never answers. */
export const startSilentServer = (): Promise<PlainServer> => started(() => {});

/** Answers each query as ClickHouse does where there are no rows: the user `slow` only after a while. */
export const startEmptyTable = (): Promise<PlainServer> =>
  started((incoming, outgoing) => {
    setTimeout(() => outgoing.end(), incoming.headers["x-clickhouse-user"] === "slow" ? SLOW_MS : 0);
  });

const started = async (listener: RequestListener): Promise<PlainServer> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is not a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    endpointUrl: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

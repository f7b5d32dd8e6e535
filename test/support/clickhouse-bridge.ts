import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ClickHouse, openClickHouse } from "../../bench/clickhouse.ts";
import { MARK } from "./secrets/mark.ts";

/**
 * The real ClickHouse engine (chdb) behind a small HTTP server of the tests. The server accepts the requests of the
 * adapter: user and password in headers, `query` and `param_*` in a form. A request without a user is an administrator's
 * query. Authentication, users and HTTP are implemented here, not by ClickHouse.
 */
export interface ClickHouseBridge {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly engine: ClickHouse;
  /** Queries so far, in order. */
  readonly asked: readonly Asked[];
  /** Maximum number of concurrent queries so far. */
  maxConcurrent(): number;
  /** Replaces the engine's answers to the next queries; null: ends that. */
  interfere(interference: Interference | null): void;
  close(): Promise<void>;
}

export interface Asked {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
  replyBytes: number;
}

/** null: the engine answers. A promise that never settles simulates a hanging server. */
export type Interference = (asked: Asked) => Promise<BridgeReply | null>;

export interface BridgeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const USER = "reader";
const PASSWORD = `${MARK}\\w {x:String} 'quoted'`;

/** null: chdb is not installed. */
export const startClickHouseBridge = async (folder: string): Promise<ClickHouseBridge | null> => {
  const engine = openClickHouse(folder);
  if (engine === null) return null;
  const asked: Asked[] = [];
  const passwords = new Map([[USER, PASSWORD]]);
  let interference: Interference | null = null;
  let running = 0;
  let maxConcurrent = 0;
  const answer = async (request: IncomingMessage): Promise<BridgeReply> => {
    const body = await bodyOf(request);
    const user = request.headers["x-clickhouse-user"];
    if (user === undefined) return administer(engine, passwords, body.toString());
    if (typeof user !== "string" || request.headers["x-clickhouse-key"] !== passwords.get(user))
      return exception(516, 403, "Authentication failed");
    const form = await formOf(body, request.headers["content-type"] ?? "");
    const one: Asked = { sql: form.get("query") ?? "", parameters: parametersOf(form), replyBytes: 0 };
    asked.push(one);
    running += 1;
    maxConcurrent = Math.max(maxConcurrent, running);
    const reply = (await interference?.(one)) ?? (await ask(engine, one));
    running -= 1;
    one.replyBytes = reply.body.length;
    return reply;
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (reply) => send(response, reply),
      () => response.destroy(),
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  // A TCP server has an address object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    user: USER,
    password: PASSWORD,
    engine,
    asked,
    maxConcurrent: () => maxConcurrent,
    interfere(next) {
      interference = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      engine.close();
    },
  };
};

/** ClickHouse's answer to a failed query. */
export const exception = (code: number, status: number, text: string): BridgeReply => ({
  status,
  headers: { "X-ClickHouse-Exception-Code": String(code) },
  body: `Code: ${code}. DB::Exception: ${text}\n`,
});

/** The library has no users: they are stored here and may read everything. */
const administer = (engine: ClickHouse, passwords: Map<string, string>, sql: string): BridgeReply => {
  const created = /^CREATE USER (\w+) IDENTIFIED BY '([^']*)'/.exec(sql);
  if (created !== null) passwords.set(created[1] ?? "", created[2] ?? "");
  else if (!sql.startsWith("GRANT ")) engine.run(sql);
  return { status: 200, body: "" };
};

const ask = async (engine: ClickHouse, { sql, parameters }: Asked): Promise<BridgeReply> => {
  try {
    return { status: 200, body: await engine.bytes(sql, parameters) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return exception(Number(/Code: (\d+)/.exec(text)?.[1] ?? 1000), 500, text);
  }
};

const send = (response: ServerResponse, { status, headers, body }: BridgeReply): void => {
  response.writeHead(status, headers);
  response.end(body);
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer<ArrayBuffer>> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Fields of the form by name. A file is refused, because ClickHouse would treat it as a table. */
const formOf = async (body: Buffer<ArrayBuffer>, type: string): Promise<ReadonlyMap<string, string>> => {
  const fields = await new Response(body, { headers: { "Content-Type": type } }).formData();
  return new Map(
    [...fields].map(([name, value]) => {
      if (typeof value !== "string") throw new Error("a field of the form is a file");
      return [name, value];
    }),
  );
};

/** ClickHouse parses parameters as TabSeparated fields and refuses unescaped tabs and line breaks. */
const parametersOf = (form: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries(
    [...form]
      .filter(([name]) => name.startsWith("param_"))
      .map(([name, value]) => {
        if (/[\t\n]/.test(value)) throw new Error("a parameter is not escaped");
        return [name.slice("param_".length), value.replace(/\\(.)/gs, (_, sign) => UNESCAPED[sign] ?? sign)];
      }),
  );

const UNESCAPED: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "0": "\0", b: "\b", f: "\f" };

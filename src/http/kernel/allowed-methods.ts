import type { OpenAPIHono, z } from "@hono/zod-openapi";
import { HonoRequest } from "hono/request";
import type { HttpEnv } from "./operation.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Schemas of the path parameters by handler. A handler without an entry accepts any. */
const expected = new WeakMap<object, z.ZodObject>();

/** Registers the schema of a handler's path parameters, which `allowedMethods` checks. */
export const expectParams = (handler: object, params: z.ZodObject): void => {
  expected.set(handler, params);
};

/** Methods that a path supports. A path parameter must match its schema: `/runs/stats` is not the path of a run. */
export const allowedMethods = (app: OpenAPIHono<HttpEnv>, request: Request, path: string): readonly string[] =>
  METHODS.filter((method) => {
    const matched = app.router.match(method, path);
    return matched[0].some(([[handler]], n) => {
      const candidate = new HonoRequest(request, path, matched);
      candidate.routeIndex = n;
      return expected.get(handler)?.safeParse(candidate.param()).success ?? true;
    });
  });

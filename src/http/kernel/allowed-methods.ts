import type { OpenAPIHono, z } from "@hono/zod-openapi";
import { HonoRequest } from "hono/request";
import type { HttpEnv } from "./operation.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What handlers expect of the parameters in their paths; one that is not here takes any. */
const expected = new WeakMap<object, z.ZodObject>();

export const expectParams = (handler: object, params: z.ZodObject): void => {
  expected.set(handler, params);
};

/** Methods that are possible at a path. Where an id has its place, the path must hold one: `/runs/stats` is no run. */
export const allowedMethods = (app: OpenAPIHono<HttpEnv>, request: Request, path: string): readonly string[] =>
  METHODS.filter((method) => {
    const matched = app.router.match(method, path);
    return matched[0].some(([[handler]], n) => {
      const asked = new HonoRequest(request, path, matched);
      asked.routeIndex = n;
      return expected.get(handler)?.safeParse(asked.param()).success ?? true;
    });
  });

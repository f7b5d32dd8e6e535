import { createServer } from "node:http";

/** An agent server that runs as a process. It listens on PORT and answers `GET /ok`. */
createServer((request, response) => {
  const isHealthy = process.env.BROKEN === undefined;
  response.statusCode = request.url === "/ok" && !isHealthy ? 500 : 200;
  response.end(JSON.stringify({ reply: `${process.env.GREETING ?? "Hello"} from ${process.env.LANGSMITH_PROJECT}` }));
}).listen(Number(process.env.PORT), "127.0.0.1");

/** A bare server of @connectrpc/connect-node on HTTP/2 that answers AddUserGrant and does nothing for it. */
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { UserGrantService } from "../../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { echoOf } from "./echo.ts";

const server = createServer(
  connectNodeAdapter({
    routes: (router) => {
      router.service(UserGrantService, { addUserGrant: echoOf });
    },
  }),
);
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  process.stdout.write(`ready on http://127.0.0.1:${port}\n`);
});

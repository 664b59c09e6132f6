import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { attempt, keepInMemory, program, refuse, requireDescribed, serve, server } from "./program.mjs";
import { createServers } from "./sdk-2-servers.mjs";

/** Calls a tool, and sends the browser away when the server asks for a login. */
async function call(name, provider, sendBrowser) {
  for (let tries = 0; ; tries++) {
    const client = new Client({ name: "agent", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(server, { authProvider: provider });
    try {
      await client.connect(transport);
      const { content } = await client.callTool({ name });
      return content[0].text;
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || tries > 0) throw error;
      await transport.finishAuth(await sendBrowser(provider.kept.location));
    } finally {
      await client.close();
    }
  }
}

serve(await createServers(), async (sendBrowser) => {
  const described = keepInMemory({ clientMetadataUrl: program.clientMetadataUrl });
  const registered = keepInMemory({});
  return {
    document: requireDescribed(described, await attempt(() => call("whoami", described, sendBrowser))),
    stepUp: await attempt(() => call("more", described, sendBrowser)),
    refresh: await attempt(() => {
      described.kept.tokens.access_token = "expired";
      return call("more", described);
    }),
    other: await refuse(described.kept.tokens),
    registered: await attempt(() => call("whoami", registered, sendBrowser)),
  };
});

// A client of the TypeScript SDK's 1.x line that does what each line of its input says, within one connection.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const client = new Client({ name: "typescript", version: "1.0.0" });
let tell;
const changed = new Promise((resolve) => (tell = resolve));
client.setNotificationHandler(ToolListChangedNotificationSchema, tell);
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));

const actions = {
  list: async () => (await client.listTools()).tools.map((tool) => tool.name),
  call: async ({ tool, args }) => {
    const result = await client.callTool({ name: tool, arguments: args });
    return [Boolean(result.isError), result.content.map((block) => block.text).join("\n")];
  },
  changed: async () => (await changed).method,
};
for await (const line of createInterface({ input: process.stdin })) {
  const wish = JSON.parse(line);
  console.log(JSON.stringify(await actions[wish.do](wish)));
}
await client.close();

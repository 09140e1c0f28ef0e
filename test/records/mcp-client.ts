/** The parts of the official client that are used. Its own types need a package condition that our compiler resolves to sources. */
export interface McpClient {
  listTools(): Promise<{
    tools: {
      name: string;
      annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean };
      outputSchema?: { properties?: { rows?: { items: { properties: Record<string, object> } } } };
    }[];
  }>;
  listPrompts(): Promise<{ prompts: { name: string; title?: string }[] }>;
  getPrompt(prompt: { name: string }): Promise<{ messages: { content: { text: string } }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(resource: { uri: string }): Promise<{ contents: { text: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<{
    content: { type: string; text: string }[];
    isError?: boolean;
    structuredContent?: unknown;
  }>;
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
}

interface ClientPackage {
  Client: new (info: { name: string; version: string }) => McpClient;
  StreamableHTTPClientTransport: new (url: URL) => unknown;
  StdioClientTransport: new (program: ServerProgram) => unknown;
}

export interface ServerProgram {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd?: string;
}

const name = '@modelcontextprotocol/client';

/** The official client, connected to a program or an address. */
export async function openMcpClient(to: URL | ServerProgram): Promise<McpClient> {
  const main = (await import(name)) as ClientPackage; // from package.json
  const stdio = (await import(`${name}/stdio`)) as ClientPackage; // the same
  const client = new main.Client({ name: 'test', version: '1' });
  await client.connect(
    to instanceof URL ? new main.StreamableHTTPClientTransport(to) : new stdio.StdioClientTransport(to),
  );
  return client;
}

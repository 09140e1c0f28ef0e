/**
 * Records for assistants, over the Model Context Protocol: tools that find requests, explain failures, compare records
 * and replay safe requests, over stdio or HTTP. Needs the package `@modelcontextprotocol/server`, which is loaded when
 * a server is created.
 */
export { createMcpController, serveMcp } from './mcp/serve-mcp.js';
export type { McpOptions } from './mcp/record-tools.js';

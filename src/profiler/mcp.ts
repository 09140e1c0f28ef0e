/**
 * Records for assistants over the Model Context Protocol: tools that find problems, show and compare requests, and
 * replay safe ones, over stdio or HTTP. Needs the package `@modelcontextprotocol/server`, which is loaded when a server
 * is created.
 */
export { createMcpController, type McpOptions, serveMcp } from './mcp/serve-mcp.js';

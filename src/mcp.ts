/** Records for assistants, as an MCP server. */
export * from './profiler/mcp.js';

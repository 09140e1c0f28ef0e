/** Serves records to coding assistants, as an MCP server. */
export * from './profiler/mcp.js';

export * from './profiler/mcp.js';

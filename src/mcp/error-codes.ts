import type { ErrorCodes } from '#coded-error';
import { defineErrorCodes } from '#coded-error';

const table = {
  MCP_NO_PACKAGE: {
    message: 'The package "@modelcontextprotocol/server" cannot be loaded.',
    fix: 'Run "npm install @modelcontextprotocol/server".',
  },
} as const;

/** Errors of the MCP server. */
export const mcpErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

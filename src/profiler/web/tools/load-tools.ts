import type * as CallTool from './call-tool.js';

/** Loads the tools, which no start of an application needs. */
export function loadTools(): Promise<typeof CallTool> {
  return import('./call-tool.js');
}

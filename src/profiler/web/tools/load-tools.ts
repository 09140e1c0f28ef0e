import type * as CallTool from './call-tool.js';

/** Loads the tools on demand, because no application needs them at its start. */
export function loadTools(): Promise<typeof CallTool> {
  return import('./call-tool.js');
}

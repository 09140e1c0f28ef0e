import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiInfo } from '#openapi';
import { describeRoutes } from '#openapi';
import type { CliOutput } from './command-line/cli-output.js';
import { loadApp } from './command-line/load-app.js';
import { readArguments } from './command-line/read-arguments.js';
import { UsageError } from './command-line/usage-error.js';

/** `lookback openapi`: 0 for a whole document, 1 where something of the application could not be described. */
export async function runOpenApi(args: readonly string[], output: CliOutput): Promise<number> {
  const { values, positionals } = readArguments(args, { app: { type: 'string' }, out: { type: 'string' } });
  const [extra] = positionals;
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many.`);
  const { app, out } = values;
  const loaded = await loadApp(app);
  try {
    const { document, problems } = await describeRoutes(loaded.routes, { info: infoOf(process.cwd()) });
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (out === undefined) output.out(text);
    else writeFileSync(out, text);
    for (const problem of problems) output.err(`${problem}\n`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await loaded.close();
  }
}

/** Of an application without the extension: name and version of its package. */
function infoOf(folder: string): OpenApiInfo {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { name, version } = manifest as { name?: unknown; version?: unknown }; // checked below
    return {
      title: typeof name === 'string' ? name : 'API',
      version: typeof version === 'string' ? version : '0',
    };
  } catch {
    return { title: 'API', version: '0' };
  }
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, createCommand } from '#core/command';
import { describeThrown } from '#core/errors';
import { describeRoutes, type OpenApiInfo } from '#framework/openapi';
import { type CliOutput, UsageError } from './command-line/terminal.js';
import { appOption, loadApp } from './command-line/load-app.js';

/** `lookback openapi`: exits with 0 for a complete document, with 1 if a part of the application is not described. */
export function openApiCommand(output: CliOutput): Command {
  return createCommand(
    'openapi',
    {
      description: 'Prints the OpenAPI 3.1 document of the application as JSON',
      options: { ...appOption, out: { type: 'string', description: 'File to write it to' } },
    },
    async ({ options: { app, out } }) => {
      const loaded = await loadApp(app);
      try {
        const { document, problems } = describeRoutes(loaded.routes, { info: infoOf(process.cwd()) });
        const text = `${JSON.stringify(document, null, 2)}\n`;
        if (out === undefined) output.out(text);
        else writeDocument(out, text);
        for (const problem of problems) output.err(`${problem}\n`);
        return problems.length === 0 ? 0 : 1;
      } finally {
        await loaded.app?.close();
      }
    },
  );
}

function writeDocument(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`The document cannot be written: ${describeThrown(error)}.`);
  }
}

/** Returns the package's name and version, for an application without the OpenAPI extension. */
function infoOf(folder: string): OpenApiInfo {
  try {
    const { name = 'API', version = '0' } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Partial<Record<'name' | 'version', string>>; // as npm requires
    return { title: name, version };
  } catch {
    return { title: 'API', version: '0' };
  }
}

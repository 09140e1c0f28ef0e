import { isCodedError } from '#coded-error';
import type { CliOutput } from './cli-output.js';
import { UsageError } from './usage-error.js';
import { runOpenApi } from './openapi-command.js';
import { runRoutes } from './routes-command.js';

const usage = `Usage: lookback <command>

  routes [name]            the routes of the application, or one of them in full
  routes match PATH        which route takes a request, and what stood against the others
  routes --lint            routes that cannot do what they are there for
  openapi [--out FILE]     the OpenAPI 3.1 document of the application, as JSON

Options:
  --app FILE[#EXPORT]      module that exports the application as "app" or by default; also a function that makes it
                           (default: "lookback": { "app": … } of package.json, dist/app.js, app.js and other usual files)
  --format table|json|markdown
  --method M --host H --scheme S    of the request to match (default GET localhost http)
  --lint                   exit code 1 when there is an error among the findings
`;

/**
 * Runs one command. The result is the exit code: 0 for yes and done, 1 for no (nothing matches, no such route, errors
 * found), 2 for a command that could not be run.
 */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  const [command, ...rest] = args;
  if (command === undefined || command === 'help' || command === '--help') {
    output.out(usage);
    return command === undefined ? 2 : 0;
  }
  try {
    if (command === 'openapi') return await runOpenApi(rest, output);
    if (command !== 'routes') throw new UsageError(`There is no command "${command}".`);
    return await runRoutes(rest, output);
  } catch (error) {
    if (error instanceof UsageError) output.err(`${error.message}\n\n${usage}`);
    else if (isCodedError(error)) output.err(`${error.message}\n${error.fix ?? ''}\n`);
    else throw error;
    return 2;
  }
}

import { HttpResponse } from '#http';
import { type Exchange, statusOfError } from '../watch/exchange.js';
import { sendResponse } from '../pages/send-response.js';

/** Renders the detailed error page in the format that the client accepts. Records the error, and prints it as the framework would. */
export async function renderAttachedErrorPage(exchange: Exchange, error: unknown): Promise<HttpResponse> {
  const { request, recording } = exchange;
  const { flattenError, renderErrorAnswer, renderErrorTerminal } = await import('#errors'); // loaded with the first error
  const report = { ...flattenError(error, {}), status: statusOfError(error) };
  recording.error(error, report);
  process.stderr.write(`${renderErrorTerminal(report)}\n`);
  const answer = renderErrorAnswer(report, {
    debug: true,
    accept: request.headers.get('accept'),
    context: {
      request: {
        method: request.method,
        url: `${request.origin}${request.source.target}`,
        headers: [...request.headers],
        query: [...request.query],
        cookies: [...request.cookies],
      },
      record: { token: recording.token, link: exchange.link ?? '' },
    },
  });
  const response = new HttpResponse(answer.body, { status: answer.status });
  for (const [name, value] of answer.headers) response.headers.append(name, value);
  return response;
}

/** Sends the error page in place of the framework's answer. */
export async function showError(exchange: Exchange, error: unknown): Promise<void> {
  const { outgoing } = exchange;
  const page = await renderAttachedErrorPage(exchange, error);
  if (!outgoing.headersSent && !outgoing.writableEnded) await sendResponse(outgoing, page);
}

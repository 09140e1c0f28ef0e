import { contentSecurityPolicy, createStyleAsset, renderDocument, visibleText } from '#html';
import type { ClientProblem } from '../status/client-problem.js';
import type { Violation } from '../status/http-error.js';

const styles = createStyleAsset(`:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; justify-items: center; text-align: center; padding: 24px;
  font: 16px/1.5 system-ui, sans-serif; background: light-dark(#ffffff, #16181d); color: light-dark(#1f2328, #e6e8eb); }
p { margin: 0; font-size: 64px; font-weight: 700; line-height: 1.1; }
h1 { margin: 8px 0 0; font-size: 20px; font-weight: 500; color: light-dark(#59636e, #a3abb5); }
main { max-width: 70ch; overflow-wrap: anywhere; }
div { margin-top: 24px; white-space: pre-line; }
ul { display: inline-block; margin: 12px 0 0; padding-left: 20px; text-align: start; }
li + li { margin-top: 4px; }
code { font: 0.9em ui-monospace, monospace; }`);

/** Content security policy of the plain page. */
export const plainErrorPolicy: string = contentSecurityPolicy({ assets: [styles] });

/** Renders the page outside debug mode: only the problem, nothing else about the error. */
export function renderPlainError({ status, title, detail, violations = [] }: ClientProblem): string {
  return renderDocument(
    <main>
      <p>{status}</p>
      <h1>{title}</h1>
      {detail !== undefined && violations.length === 0 && <div>{visibleText(detail)}</div>}
      {violations.length > 0 && (
        <ul>
          {violations.map((violation) => (
            <li>
              <code>{visibleText(placeOf(violation))}</code>: {visibleText(violation.message)}
            </li>
          ))}
        </ul>
      )}
    </main>,
    { lang: 'en', title: `${status} ${title}`, assets: [styles] },
  );
}

/** Renders the problem as text. Without `detail` it uses no template and no foreign data, so it cannot fail. */
export function renderPlainText({ status, title, detail, violations = [] }: ClientProblem): string {
  const head = `${status} ${title}\n`;
  if (detail === undefined) return head;
  const lines = violations.map((violation) => {
    return `- ${placeOf(violation)}: ${violation.message} (${violation.code})`;
  });
  return `${head}\n${[visibleText(detail), ...lines.map((line) => visibleText(line))].join('\n')}\n`;
}

function placeOf({ in: part, path }: Violation): string {
  return `${part ?? ''} ${path}`.trim() || '(all)';
}

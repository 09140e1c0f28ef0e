import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRedactor } from '../../../../test/without-marks.js';

const redactor = createRedactor();
const parameters = (query: string, variables: object): string =>
  `query=${encodeURIComponent(query)}&variables=${encodeURIComponent(JSON.stringify(variables))}`;

it("hides a GraphQL document's variables in a URL or form if an argument with a secret name receives one", () => {
  const secret = parameters('mutation M($p: String!) { login(password: $p) { t } }', { p: 'CANARY1a2b' });
  const harmless = parameters('query Q($p: String!) { user(name: $p) { t } }', { p: 'Ada Lovelace' });
  for (const [read, text] of [
    [redactor.query, secret],
    [redactor.url, `/graphql?${secret}`],
    [redactor.text, `GET /graphql?${secret} 200`],
    [redactor.text, `GET https://api.test/graphql?operationName=M&${secret}`],
  ] as const)
    assert.doesNotMatch(read(text), /CANARY/, text);
  assert.match(redactor.query(secret), /^query=mutation%20M.*&variables=\[redacted\]$/);
  assert.equal(redactor.query(harmless), harmless);
});

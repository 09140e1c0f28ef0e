// Runs the wire part of the contract against a running service:
//   npm run test:contract -- http://127.0.0.1:8000
import { spawnSync } from 'node:child_process';

const url = process.argv[2];
if (url === undefined || !URL.canParse(url)) {
  console.error('Give the base URL of a running service: npm run test:contract -- http://127.0.0.1:8000');
  process.exit(1);
}
const run = spawnSync(process.execPath, ['scripts/test.mjs', 'test/contract/'], {
  stdio: 'inherit',
  env: { ...process.env, BASE_URL: url },
});
process.exit(run.status ?? 1);

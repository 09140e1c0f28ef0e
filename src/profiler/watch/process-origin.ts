import { hostname } from 'node:os';
import type { ProcessOrigin } from '../form/summary-columns.js';

/** Identifies this process. The version is `APP_VERSION`, or that of the package if npm started the process. */
export function processOrigin(): ProcessOrigin {
  const { APP_VERSION, npm_package_version: packageVersion } = process.env;
  return { instance: `${hostname()}:${process.pid}`, version: APP_VERSION ?? packageVersion ?? '' };
}

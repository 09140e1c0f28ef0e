import { hostname } from 'node:os';
import type { ProcessOrigin } from '../form/summary-columns.js';

/** This process, with the version that `APP_VERSION` names, or npm where that started it. */
export function processOrigin(): ProcessOrigin {
  const { APP_VERSION, npm_package_version: ofPackage } = process.env;
  return { instance: `${hostname()}:${process.pid}`, version: APP_VERSION ?? ofPackage ?? '' };
}

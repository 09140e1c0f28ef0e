import { register } from './profiler/attach/servers/register.js';

// The entry point for `node --import lookback/register`: the only module here with side effects.
register();

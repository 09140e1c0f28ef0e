import { register } from './profiler/attach/servers/register.js';

// The entry point of `node --import lookback/register`: the only module here that has an effect when it is loaded.
register();

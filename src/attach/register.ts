import { register } from './servers/register.js';

// What `node --import lookback/register` does: the one module of this house that acts by being loaded.
register();

/** An option is wrong. The message is for the person who started the process and never contains a secret. */
export class ConfigError extends Error {}

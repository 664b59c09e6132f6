/** Something keeps a configuration from being planned or applied. The message is for the person who started the command. */
export class ConfigurationError extends Error {}

/** Returns the pattern of exactly that text, or the pattern that was given. */
export function toPattern(message: string | RegExp): RegExp {
  if (message instanceof RegExp) return message;
  return new RegExp(`^${message.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}

/** Where people type the code of a device, below the issuer. How the login ended is told on a page below it. */
export const devicePath = "/device";
